mod fixtures;
mod house;
mod llm;
mod replay;
