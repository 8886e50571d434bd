// Whole and streamed answers, citations, the list of models, and errors as the client tells them apart.
import assert from "node:assert/strict";
import OpenAI from "openai";

const { BASE, KEY, CHAT } = process.env;
const messages = [{ role: "user", content: "各部门的销售额合计，从高到低" }];
const client = (path, apiKey = KEY) => new OpenAI({ apiKey, baseURL: `${BASE}${path}`, maxRetries: 0 });

const models = [];
for await (const model of client("/v1").models.list()) models.push(model.id);
assert.deepEqual(models, ["sales"]);

for (const [path, model] of [["/v1", "sales"], [`/api/v1/openai/${CHAT}`, "any"], [`/api/v1/chats_openai/${CHAT}`, "any"]]) {
    const whole = await client(path).chat.completions.create({ model, messages, stream: false });
    assert.match(whole.choices[0].message.content, /390,483\.63/);
    assert.ok(whole.usage.total_tokens > 0);
    let said = "";
    let usage = null;
    for await (const piece of await client(path).chat.completions.create({ model, messages, stream: true })) {
        said += piece.choices[0].delta.content ?? "";
        usage = piece.usage ?? usage;
    }
    assert.match(said, /390,483\.63/);
    assert.ok(usage.total_tokens > 0);
}

const cited = await client("/v1").chat.completions.create({ model: "sales", messages });
assert.equal(cited.choices[0].message.reference.chunks[0].document_name, "销售台账.xlsx");
assert.equal(cited.choices[0].message.reference.SQL_RESULT.rows[0][1], 390483.63);
await assert.rejects(client("/v1").chat.completions.create({ model: "none", messages }), OpenAI.NotFoundError);
await assert.rejects(client("/v1", "wrong").models.list(), OpenAI.AuthenticationError);
await assert.rejects(client("/v1").chat.completions.create({ model: "sales", messages: [] }), OpenAI.BadRequestError);
