// The official OpenAI client: chat completions, completions and models.
import assert from 'node:assert/strict';

import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';

import * as shared from './checks.mjs';
import { Forecast } from './forecast.mjs';

const { check, model } = shared;
const client = new OpenAI({ baseURL: `${shared.url}/v1`, apiKey: shared.key, maxRetries: 0 });
const greedy = { model, temperature: 0, max_completion_tokens: 96 };
const ask = (text) => [{ role: 'user', content: text }];
const TOOL = {
  type: 'function',
  function: {
    name: shared.WEATHER.name,
    description: shared.WEATHER.description,
    parameters: shared.WEATHER.schema,
  },
};

await check('models', async () => {
  const ids = [];
  for await (const each of client.models.list()) {
    ids.push(each.id);
  }
  assert.equal(ids.length, 1);
  assert.equal((await client.models.retrieve(ids[0])).id, ids[0]);
});

await check('chat', async () => {
  const answer = await client.chat.completions.create({ ...greedy, messages: ask('What is 7 + 5?') });
  assert.match(answer.choices[0].message.content, /12/);
  assert.equal(answer.choices[0].finish_reason, 'stop');
  assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens);
});

await check('stream', async () => {
  const stream = client.chat.completions.stream({ ...greedy, messages: ask('What is 7 + 5?') });
  let text = '';
  stream.on('content', (delta) => (text += delta));
  const answer = await stream.finalChatCompletion();
  assert.match(text, /12/);
  assert.equal(answer.choices[0].message.content, text);
  assert.equal(answer.choices[0].finish_reason, 'stop');
});

await check('usage', async () => {
  const stream = await client.chat.completions.create({
    ...greedy,
    messages: ask('What is 7 + 5?'),
    stream: true,
    stream_options: { include_usage: true },
  });
  const usages = [];
  for await (const chunk of stream) {
    if (chunk.usage) {
      assert.deepEqual(chunk.choices, []);
      usages.push(chunk.usage);
    }
  }
  assert.equal(usages.length, 1);
  assert.ok(usages[0].completion_tokens > 0);
});

for (const streamed of [false, true]) {
  await check(streamed ? 'streamed tools' : 'tools', async () => {
    const messages = [];
    const next = async () => {
      const request = { ...greedy, messages, tools: [TOOL] };
      const answer = streamed
        ? await client.chat.completions.stream(request).finalChatCompletion()
        : await client.chat.completions.create(request);
      messages.push(answer.choices[0].message);
      return answer.choices[0];
    };
    for (const city of shared.CITIES) {
      messages.push(...ask(shared.question(city)));
      const called = await next();
      assert.equal(called.finish_reason, 'tool_calls', JSON.stringify(called));
      const [call] = called.message.tool_calls;
      assert.equal(call.function.name, shared.WEATHER.name);
      assert.deepEqual(JSON.parse(call.function.arguments), { city });
      messages.push({ role: 'tool', tool_call_id: call.id, content: shared.weather() });
      const told = await next();
      assert.equal(told.finish_reason, 'stop');
      assert.match(told.message.content, new RegExp(city));
    }
  });
}

await check('tool runner', async () => {
  const cities = [];
  const runner = client.chat.completions.runTools({
    ...greedy,
    messages: ask(shared.question('Bern')),
    tools: [
      {
        type: 'function',
        function: {
          ...TOOL.function,
          parse: JSON.parse,
          function: ({ city }) => {
            cities.push(city);
            return shared.weather();
          },
        },
      },
    ],
  });
  assert.match(await runner.finalContent(), /17/);
  assert.deepEqual(cities, ['Bern']);
});

await check('structure', async () => {
  const answer = await client.chat.completions.parse({
    ...greedy,
    max_completion_tokens: 300,
    messages: ask('Give the forecast for Bern as an object.'),
    response_format: zodResponseFormat(Forecast, 'forecast'),
  });
  Forecast.parse(answer.choices[0].message.parsed);
});

await check('completion', async () => {
  const answer = await client.completions.create({ model, prompt: 'Once', max_tokens: 5, temperature: 0 });
  assert.equal(answer.usage.completion_tokens, 5);
  assert.ok(answer.choices[0].text.length > 0);
});

await shared.checkAbort('abort', async () => {
  const stream = await client.chat.completions.create({
    ...greedy,
    max_completion_tokens: shared.ENDLESS,
    ignore_eos: true,
    messages: ask('Count.'),
    stream: true,
  });
  await shared.breakOff(stream, () => stream.controller.abort());
});

await shared.checkAbort('abort while waiting', async () => {
  const abort = new AbortController();
  const answer = client.chat.completions.create(
    { ...greedy, max_completion_tokens: shared.ENDLESS, ignore_eos: true, messages: ask('Count.') },
    { signal: abort.signal },
  );
  const outcome = assert.rejects(answer, OpenAI.APIUserAbortError);
  await shared.busy();
  abort.abort();
  await outcome;
});

await check('wrong key', async () => {
  const stranger = client.withOptions({ apiKey: 'wrong' });
  await assert.rejects(stranger.models.list(), (e) => e instanceof OpenAI.AuthenticationError && e.status === 401);
});

await check('wrong field', async () => {
  await assert.rejects(
    client.chat.completions.create({ ...greedy, temperature: 9, messages: ask('x') }),
    (e) =>
      e instanceof OpenAI.BadRequestError &&
      e.type === 'invalid_request_error' &&
      e.param === 'temperature' &&
      e.requestID.length > 0,
  );
});

await check('too long', async () => {
  await assert.rejects(
    client.chat.completions.create({ ...greedy, messages: ask('word '.repeat(20_000)) }),
    (e) => e instanceof OpenAI.BadRequestError && e.code === 'context_length_exceeded',
  );
});

await check('unknown', async () => {
  await assert.rejects(
    client.models.retrieve('nobody'),
    (e) => e instanceof OpenAI.NotFoundError && e.code === 'model_not_found',
  );
  await assert.rejects(
    client.chat.completions.create({ ...greedy, model: 'nobody', messages: ask('x') }),
    (e) => e instanceof OpenAI.NotFoundError && e.code === 'model_not_found',
  );
  await assert.rejects(client.files.list(), OpenAI.NotFoundError);
});
