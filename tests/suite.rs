mod house;
mod llm;
mod replay;
