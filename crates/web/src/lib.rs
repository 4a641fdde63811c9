//! The page of a project, for people with a browser: what every function does, who calls whom, and the findings with
//! their paths and with marks that people set.
//!
//! In: [`Knowledge`] (plain values that a run made), somebody who reads sources, and somebody who keeps marks. Out: a
//! server on one address. There is no analysis inside, and no request names a file: sources are shown by the function
//! or the finding they belong to.
//!
//! The way of a request: [`http`] reads it within limits, [`guard`] decides whether it may be answered, [`routes`]
//! answers it. The scripts are in `assets`; the drawing of findings is that of the HTML report.
//!
//! What must hold: a page in the same browser that is not ours can neither read nor write anything (host, origin and
//! policy checks); text from a program never becomes markup; a request never decides which file is read.

mod body;
pub mod clock;
pub mod graph;
pub mod guard;
pub mod http;
mod knowledge;
mod marks;
pub mod routes;
mod server;

pub use knowledge::{Call, Function, Knowledge, Origin};
pub use marks::{InMemory, Marks};
pub use routes::Site;
pub use server::{Listening, listen};
