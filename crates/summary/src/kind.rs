//! Kinds of resources: memory, streams, descriptors. Each has a name for people and functions that release it.

/// A kind of resource known to the models.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct KindId(u16);

impl KindId {
    /// Memory from `malloc` and its relatives: always the first kind.
    pub const HEAP: KindId = KindId(0);
    /// The place of the kind in the order of declaration.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What the models say about a kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kind {
    /// The word used in model files: `heap`, `file`, `fd`.
    pub name: Box<str>,
    /// How a message calls one: "memory", "stream", "file descriptor".
    pub noun: Box<str>,
    /// The function to advise for releasing it.
    pub releaser: Option<Box<str>>,
    /// Resources that are numbers rather than addresses, and the least valid one (descriptors: 0).
    pub number: Option<i64>,
    /// A loss of numbers below this one alone is meant: whoever opens the standard streams wants them to stay open.
    pub lost_from: Option<i64>,
    /// Plain memory, whoever hands it out: losing it is a memory leak and not a leak of some other resource.
    pub memory: bool,
    /// What is stored in one goes with it when it is released: its releaser looks after it.
    pub with_contents: bool,
}

impl Kind {
    /// A kind of which nothing is known but the name.
    pub(crate) fn plain(name: &str) -> Kind {
        Kind {
            name: name.into(),
            noun: name.into(),
            releaser: None,
            number: None,
            lost_from: None,
            memory: false,
            with_contents: false,
        }
    }
}

/// All kinds, in the order they were declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kinds {
    list: Vec<Kind>,
}

impl Default for Kinds {
    fn default() -> Kinds {
        let heap = Kind {
            name: "heap".into(),
            noun: "memory".into(),
            releaser: Some("free".into()),
            number: None,
            lost_from: None,
            memory: true,
            with_contents: false,
        };
        Kinds { list: vec![heap] }
    }
}

impl Kinds {
    /// Declares a kind, or gives the one of that name.
    pub fn declare(&mut self, kind: Kind) -> KindId {
        match self.named(&kind.name) {
            Some(id) => {
                self.list[id.0 as usize] = kind;
                id
            }
            None => {
                self.list.push(kind);
                KindId(u16::try_from(self.list.len() - 1).expect("there are fewer than 65536 kinds"))
            }
        }
    }
    pub fn named(&self, name: &str) -> Option<KindId> {
        self.list.iter().position(|kind| &*kind.name == name).map(|index| KindId(index as u16))
    }
    pub fn get(&self, id: KindId) -> &Kind {
        &self.list[id.0 as usize]
    }
    /// All kinds with their ids, in the order they were declared.
    pub fn iter(&self) -> impl Iterator<Item = (KindId, &Kind)> {
        self.list.iter().enumerate().map(|(index, kind)| (KindId(index as u16), kind))
    }
    /// How many kinds there are; their ids count from 0.
    pub fn count(&self) -> usize {
        self.list.len()
    }
}
