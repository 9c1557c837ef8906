// Vercel's AI SDK with its provider for OpenAI-compatible servers.
import assert from 'node:assert/strict';

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';

import * as shared from './checks.mjs';
import { Forecast } from './forecast.mjs';

const { check } = shared;
const NAME = 'varve';

const provider = (apiKey) =>
  createOpenAICompatible({
    name: NAME,
    baseURL: `${shared.url}/v1`,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
const varve = provider(shared.key);
const greedy = {
  model: varve(shared.model),
  temperature: 0,
  maxOutputTokens: 96,
  maxRetries: 0,
  onError: () => {},
};
const endless = { maxOutputTokens: shared.ENDLESS, providerOptions: { [NAME]: { ignore_eos: true } } };

/** A tool that records the requested cities. */
const weatherTool = (cities) =>
  tool({
    description: shared.WEATHER.description,
    inputSchema: jsonSchema(shared.WEATHER.schema),
    execute: ({ city }) => {
      cities.push(city);
      return shared.weather();
    },
  });

await check('chat', async () => {
  const answer = await generateText({ ...greedy, prompt: 'What is 7 + 5?' });
  assert.match(answer.text, /12/);
  assert.equal(answer.finishReason, 'stop');
  assert.deepEqual(answer.warnings ?? [], []);
});

await check('stream', async () => {
  const answer = streamText({ ...greedy, prompt: 'What is 7 + 5?' });
  let text = '';
  for await (const delta of answer.textStream) {
    text += delta;
  }
  assert.match(text, /12/);
  assert.equal(await answer.finishReason, 'stop');
});

await check('usage', async () => {
  const answer = streamText({ ...greedy, prompt: 'What is 7 + 5?' });
  await answer.consumeStream();
  const usage = await answer.usage;
  assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0, JSON.stringify(usage));
  assert.equal(usage.totalTokens, usage.inputTokens + usage.outputTokens);
});

for (const streamed of [false, true]) {
  await check(streamed ? 'streamed tools' : 'tools', async () => {
    const cities = [];
    const messages = [];
    for (const city of shared.CITIES) {
      messages.push({ role: 'user', content: shared.question(city) });
      const request = {
        ...greedy,
        messages,
        tools: { [shared.WEATHER.name]: weatherTool(cities) },
        stopWhen: stepCountIs(4),
      };
      const answer = streamed ? streamText(request) : await generateText(request);
      const [steps, text, response] = await Promise.all([answer.steps, answer.text, answer.response]);
      assert.deepEqual(
        steps.map((step) => step.finishReason),
        ['tool-calls', 'stop'],
      );
      assert.match(text, new RegExp(city));
      messages.push(...response.messages);
    }
    assert.deepEqual(cities, shared.CITIES);
  });
}

await check('rounds that must call', async () => {
  const cities = [];
  const answer = await generateText({
    ...greedy,
    prompt: shared.question('Bern'),
    tools: {
      [shared.WEATHER.name]: tool({
        description: shared.WEATHER.description,
        inputSchema: jsonSchema(shared.WEATHER.schema),
        execute: ({ city }) => {
          cities.push(city);
          return 'nothing yet, ask again';
        },
      }),
    },
    stopWhen: stepCountIs(4),
    prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber < 3 ? 'required' : 'none' }),
  });
  assert.equal(cities.length, 3);
  assert.equal(answer.steps.length, 4);
  assert.deepEqual(answer.steps[3].toolCalls, []);
});

await check('structure', async () => {
  const answer = await generateText({
    ...greedy,
    maxOutputTokens: 300,
    prompt: 'Give the forecast for Bern as an object.',
    output: Output.object({ schema: Forecast, name: 'forecast' }),
  });
  Forecast.parse(answer.output);
});

await check('streamed structure', async () => {
  const answer = streamText({
    ...greedy,
    maxOutputTokens: 300,
    prompt: 'Give the forecast for Bern as an object.',
    output: Output.object({ schema: Forecast, name: 'forecast' }),
  });
  let last;
  for await (const part of answer.partialOutputStream) {
    last = part;
  }
  Forecast.parse(last);
});

await shared.checkAbort('abort', async () => {
  const abort = new AbortController();
  const answer = streamText({ ...greedy, ...endless, prompt: 'Count.', abortSignal: abort.signal });
  await shared.breakOff(answer.textStream, () => abort.abort());
});

await shared.checkAbort('abort while waiting', async () => {
  const abort = new AbortController();
  const answer = generateText({ ...greedy, ...endless, prompt: 'Count.', abortSignal: abort.signal });
  const outcome = assert.rejects(answer, { name: 'AbortError' });
  await shared.busy();
  abort.abort();
  await outcome;
});

const failsWith = (status, message) => (e) =>
  APICallError.isInstance(e) && e.statusCode === status && message.test(e.message);

await check('wrong key', async () => {
  await assert.rejects(
    generateText({ ...greedy, model: provider('wrong')(shared.model), prompt: 'x' }),
    failsWith(401, /key/),
  );
});

await check('wrong field', async () => {
  await assert.rejects(
    generateText({ ...greedy, temperature: 9, prompt: 'x' }),
    (e) => failsWith(400, /temperature/)(e) && !e.isRetryable,
  );
});

await check('too long', async () => {
  await assert.rejects(
    generateText({ ...greedy, prompt: 'word '.repeat(20_000) }),
    failsWith(400, /context/),
  );
  const errors = [];
  const answer = streamText({ ...greedy, prompt: 'word '.repeat(20_000), onError: ({ error }) => errors.push(error) });
  await answer.consumeStream();
  assert.equal(errors.length, 1);
  assert.ok(failsWith(400, /context/)(errors[0]), String(errors[0]));
});

await check('unknown', async () => {
  await assert.rejects(
    generateText({ ...greedy, model: varve('nobody'), prompt: 'x' }),
    failsWith(404, /nobody|model/),
  );
  await assert.rejects(
    generateText({
      ...greedy,
      model: createOpenAICompatible({ name: NAME, baseURL: `${shared.url}/v9`, apiKey: shared.key })('m'),
      prompt: 'x',
    }),
    failsWith(404, /./),
  );
});
