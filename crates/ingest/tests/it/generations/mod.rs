//! Generations on disk, and shared by several nodes.

mod catalog_folder;
mod shared_generations;
