//! The whole pipeline.
