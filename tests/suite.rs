mod fixtures;
mod house;
mod llm;
mod model;
mod replay;
