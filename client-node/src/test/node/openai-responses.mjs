// The official OpenAI client: responses.
import assert from 'node:assert/strict';

import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';

import * as shared from './checks.mjs';
import { Forecast } from './forecast.mjs';

const { check, model } = shared;
const client = new OpenAI({ baseURL: `${shared.url}/v1`, apiKey: shared.key, maxRetries: 0 });
const greedy = { model, temperature: 0, max_output_tokens: 96 };
const TOOL = {
  type: 'function',
  name: shared.WEATHER.name,
  description: shared.WEATHER.description,
  parameters: shared.WEATHER.schema,
  strict: false,
};

await check('chat', async () => {
  const answer = await client.responses.create({ ...greedy, input: 'What is 7 + 5?' });
  assert.match(answer.output_text, /12/);
  assert.equal(answer.status, 'completed');
});

await check('stream', async () => {
  const stream = client.responses.stream({ ...greedy, input: 'What is 7 + 5?' });
  let text = '';
  stream.on('response.output_text.delta', ({ delta }) => (text += delta));
  const answer = await stream.finalResponse();
  assert.match(text, /12/);
  assert.equal(answer.output_text, text);
  assert.equal(answer.status, 'completed');
});

await check('usage', async () => {
  const { usage } = await client.responses.stream({ ...greedy, input: 'What is 7 + 5?' }).finalResponse();
  assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0, JSON.stringify(usage));
  assert.equal(usage.total_tokens, usage.input_tokens + usage.output_tokens);
  assert.equal(usage.output_tokens_details.reasoning_tokens, 0);
});

for (const streamed of [false, true]) {
  await check(streamed ? 'streamed tools' : 'tools', async () => {
    const input = [];
    const next = async () => {
      const request = { ...greedy, input, tools: [TOOL] };
      const answer = streamed
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request);
      input.push(...answer.output);
      return answer;
    };
    for (const city of shared.CITIES) {
      input.push({ role: 'user', content: shared.question(city) });
      const called = await next();
      const call = called.output.find((item) => item.type === 'function_call');
      assert.equal(call?.name, shared.WEATHER.name, JSON.stringify(called.output));
      assert.deepEqual(JSON.parse(call.arguments), { city });
      input.push({ type: 'function_call_output', call_id: call.call_id, output: shared.weather() });
      assert.match((await next()).output_text, new RegExp(city));
    }
  });
}

await check('structure', async () => {
  const answer = await client.responses.parse({
    ...greedy,
    max_output_tokens: 300,
    input: 'Give the forecast for Bern as an object.',
    text: { format: zodTextFormat(Forecast, 'forecast') },
  });
  Forecast.parse(answer.output_parsed);
});

await check('cut short', async () => {
  const answer = await client.responses.create({ ...greedy, max_output_tokens: 1, input: 'What is 7 + 5?' });
  assert.equal(answer.status, 'incomplete');
  assert.equal(answer.incomplete_details.reason, 'max_output_tokens');
});

await shared.checkAbort('abort', async () => {
  const stream = await client.responses.create({
    ...greedy,
    max_output_tokens: shared.ENDLESS,
    ignore_eos: true,
    input: 'Count.',
    stream: true,
  });
  await shared.breakOff(stream, () => stream.controller.abort());
});

await check('wrong key', async () => {
  const stranger = client.withOptions({ apiKey: 'wrong' });
  await assert.rejects(stranger.responses.create({ ...greedy, input: 'x' }), OpenAI.AuthenticationError);
});

await check('wrong field', async () => {
  await assert.rejects(
    client.responses.create({ ...greedy, temperature: 9, input: 'x' }),
    (e) => e instanceof OpenAI.BadRequestError && e.param === 'temperature',
  );
  await assert.rejects(
    client.responses.create({ ...greedy, previous_response_id: 'resp_1', input: 'x' }),
    (e) => e instanceof OpenAI.BadRequestError && e.param === 'previous_response_id',
  );
});

await check('too long', async () => {
  await assert.rejects(
    client.responses.create({ ...greedy, stream: true, input: 'word '.repeat(20_000) }),
    (e) => e instanceof OpenAI.BadRequestError && e.code === 'context_length_exceeded',
  );
});

await check('unknown', async () => {
  await assert.rejects(client.responses.retrieve('resp_1'), OpenAI.NotFoundError);
});
