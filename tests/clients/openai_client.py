"""OpenAI's client chats with a chat as the model, whole and streamed."""

import openai
from sales import prepared
from service import served

QUESTION = [{"role": "user", "content": "各部门的销售额合计，从高到低"}]


def whole(client, model):
    answer = client.chat.completions.create(model=model, messages=QUESTION, stream=False)
    assert "390,483.63" in answer.choices[0].message.content
    assert answer.usage.total_tokens > 0
    return answer


def streamed(client, model):
    pieces = list(client.chat.completions.create(model=model, messages=QUESTION, stream=True))
    said = "".join(piece.choices[0].delta.content or "" for piece in pieces)
    assert "390,483.63" in said and pieces[-1].usage.total_tokens > 0


def main():
    with served() as (base, key):
        chat, _, _ = prepared(base, key)
        client = openai.OpenAI(api_key=key, base_url=f"{base}/v1", max_retries=0)
        assert [model.id for model in client.models.list()] == ["sales"]
        for path, model in (("/v1", "sales"), (f"/api/v1/openai/{chat.id}", "any"), (f"/api/v1/chats_openai/{chat.id}", "any")):
            client = openai.OpenAI(api_key=key, base_url=f"{base}{path}", max_retries=0)
            whole(client, model)
            streamed(client, model)
        client = openai.OpenAI(api_key=key, base_url=f"{base}/v1", max_retries=0)
        assert whole(client, "sales").choices[0].message.reference["chunks"][0]["document_name"] == "销售台账.xlsx"
        for call, error in (
            (lambda: whole(client, "none"), openai.NotFoundError),
            (lambda: openai.OpenAI(api_key="x", base_url=f"{base}/v1", max_retries=0).models.list(), openai.AuthenticationError),
        ):
            try:
                call()
            except error:
                continue
            raise AssertionError(error)
    print("openai: all passed")


main()
