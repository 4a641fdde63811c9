//! The bitcode reader against bitcode that the installed clang versions write.

mod clang;
mod content;
mod debug_info;
mod exotic;
mod page;
mod robust;
