//! The Model Context Protocol: the service's questions as tools for agents, on stdio and as streamable HTTP at `/mcp`.
//!
//! Comes in: tool calls of one caller. Goes out: structured results, the documents that the README's reference describes.
//! Must never happen: a tool that changes anything; a dataset of another owner.

mod call;
mod server;
mod tools;

pub use server::{McpError, routes, stdio};
