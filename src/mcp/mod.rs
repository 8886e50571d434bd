//! The Model Context Protocol: the service's questions as tools for agents, its tables as resources, on stdio and as streamable HTTP at `/mcp`.
//!
//! Comes in: tool calls of one caller. Goes out: structured results, the documents that the README's reference describes.
//! Must never happen: a change but an upload that the caller may make; a file outside the allowed folders; a dataset of another owner.

mod call;
mod resources;
mod schemas;
mod server;
mod tools;
mod upload;

pub use server::{McpError, routes, stdio};
