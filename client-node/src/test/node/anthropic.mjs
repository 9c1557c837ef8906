// The official Anthropic client: messages, counted tokens and models.
import assert from 'node:assert/strict';

import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';

import * as shared from './checks.mjs';
import { Forecast } from './forecast.mjs';

const { check, model } = shared;
const client = new Anthropic({ baseURL: shared.url, apiKey: shared.key, maxRetries: 0 });
const short = { model, max_tokens: 96, temperature: 0 };
const ask = (text) => [{ role: 'user', content: text }];
const TOOL = {
  name: shared.WEATHER.name,
  description: shared.WEATHER.description,
  input_schema: shared.WEATHER.schema,
};

const text = (message) =>
  message.content
    .filter((block) => block.type === 'text')
    .map((block) => block.text)
    .join('');

await check('models', async () => {
  const ids = [];
  for await (const each of client.models.list()) {
    assert.equal(each.type, 'model');
    ids.push(each.id);
  }
  assert.equal(ids.length, 1);
  assert.equal((await client.models.retrieve(ids[0])).id, ids[0]);
});

await check('chat', async () => {
  const answer = await client.messages.create({ ...short, messages: ask('What is 7 + 5?') });
  assert.match(text(answer), /12/);
  assert.equal(answer.stop_reason, 'end_turn');
  assert.ok(answer.usage.output_tokens > 0);
});

await check('stream', async () => {
  const stream = client.messages.stream({ ...short, messages: ask('What is 7 + 5?') });
  let said = '';
  const names = new Set();
  stream.on('text', (delta) => (said += delta));
  stream.on('streamEvent', (event) => names.add(event.type));
  const answer = await stream.finalMessage();
  assert.match(said, /12/);
  assert.equal(text(answer), said);
  assert.equal(answer.stop_reason, 'end_turn');
  for (const name of ['message_start', 'content_block_start', 'content_block_stop', 'message_delta', 'message_stop']) {
    assert.ok(names.has(name), name);
  }
});

await check('usage', async () => {
  const system = 'Answer briefly. '.repeat(20);
  const request = { model, system, messages: ask('What is 7 + 5?'), tools: [TOOL] };
  const { input_tokens: counted } = await client.messages.countTokens(request);
  const { usage } = await client.messages.stream({ ...request, ...short }).finalMessage();
  assert.equal(counted, usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens);
  assert.ok(usage.output_tokens > 0);
});

for (const streamed of [false, true]) {
  await check(streamed ? 'streamed tools' : 'tools', async () => {
    const messages = [];
    const next = async () => {
      const request = { ...short, messages, tools: [TOOL] };
      const answer = streamed
        ? await client.messages.stream(request).finalMessage()
        : await client.messages.create(request);
      messages.push({ role: 'assistant', content: answer.content });
      return answer;
    };
    for (const city of shared.CITIES) {
      messages.push(...ask(shared.question(city)));
      const called = await next();
      assert.equal(called.stop_reason, 'tool_use', JSON.stringify(called));
      const call = called.content.find((block) => block.type === 'tool_use');
      assert.equal(call.name, shared.WEATHER.name);
      assert.deepEqual(call.input, { city });
      messages.push({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: call.id, content: shared.weather() }],
      });
      const told = await next();
      assert.equal(told.stop_reason, 'end_turn');
      assert.match(text(told), new RegExp(city));
    }
  });
}

await check('tool runner', async () => {
  const cities = [];
  const answer = await client.beta.messages.toolRunner({
    ...short,
    messages: ask(shared.question('Bern')),
    tools: [
      betaTool({
        name: TOOL.name,
        description: TOOL.description,
        inputSchema: TOOL.input_schema,
        run: ({ city }) => {
          cities.push(city);
          return shared.weather();
        },
      }),
    ],
  });
  assert.match(text(answer), /17/);
  assert.deepEqual(cities, ['Bern']);
});

await check('structure', async () => {
  const answer = await client.messages.parse({
    ...short,
    max_tokens: 300,
    messages: ask('Give the forecast for Bern as an object.'),
    output_config: { format: zodOutputFormat(Forecast) },
  });
  Forecast.parse(answer.parsed_output);
});

await shared.checkAbort('abort', async () => {
  const stream = await client.messages.create({
    ...short,
    max_tokens: shared.ENDLESS,
    ignore_eos: true,
    messages: ask('Count.'),
    stream: true,
  });
  await shared.breakOff(stream, () => stream.controller.abort());
});

await shared.checkAbort('abort while waiting', async () => {
  const abort = new AbortController();
  const answer = client.messages.create(
    { ...short, max_tokens: shared.ENDLESS, ignore_eos: true, messages: ask('Count.') },
    { signal: abort.signal },
  );
  const outcome = assert.rejects(answer, Anthropic.APIUserAbortError);
  await shared.busy();
  abort.abort();
  await outcome;
});

await check('wrong key', async () => {
  const stranger = client.withOptions({ apiKey: 'wrong' });
  await assert.rejects(
    stranger.models.list(),
    (e) => e instanceof Anthropic.AuthenticationError && e.type === 'authentication_error',
  );
});

await check('wrong field', async () => {
  await assert.rejects(
    client.messages.create({ ...short, temperature: 9, messages: ask('x') }),
    (e) =>
      e instanceof Anthropic.BadRequestError &&
      e.type === 'invalid_request_error' &&
      e.message.includes('temperature') &&
      e.requestID.length > 0,
  );
});

await check('too long', async () => {
  for (const stream of [false, true]) {
    await assert.rejects(
      client.messages.create({ ...short, stream, messages: ask('word '.repeat(20_000)) }),
      (e) => e instanceof Anthropic.BadRequestError && e.type === 'invalid_request_error',
    );
  }
});

await check('unknown', async () => {
  await assert.rejects(
    client.models.retrieve('nobody'),
    (e) => e instanceof Anthropic.NotFoundError && e.type === 'not_found_error',
  );
  await assert.rejects(
    client.messages.create({ ...short, model: 'nobody', messages: ask('x') }),
    (e) => e instanceof Anthropic.NotFoundError && e.type === 'not_found_error',
  );
  await assert.rejects(
    client.messages.batches.retrieve('nobody'),
    (e) => e instanceof Anthropic.NotFoundError && e.type === 'not_found_error',
  );
});
