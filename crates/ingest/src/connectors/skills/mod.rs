//! Agent skills: folders with a `SKILL.md`, in repositories and at well-known addresses.

pub mod skill;
pub mod skills_repo;
pub mod skills_wellknown;
