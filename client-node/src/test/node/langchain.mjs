// LangChain's OpenAI model, over chat completions and over responses.
import assert from 'node:assert/strict';

import { ContextOverflowError } from '@langchain/core/errors';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';

import * as shared from './checks.mjs';
import { Forecast } from './forecast.mjs';

const { check } = shared;

const chat = (fields) =>
  new ChatOpenAI({
    model: shared.model,
    apiKey: shared.key,
    configuration: { baseURL: `${shared.url}/v1` },
    temperature: 0,
    maxTokens: 96,
    maxRetries: 0,
    ...fields,
  });
const endless = { maxTokens: shared.ENDLESS, modelKwargs: { ignore_eos: true } };
const TOOL = {
  type: 'function',
  function: {
    name: shared.WEATHER.name,
    description: shared.WEATHER.description,
    parameters: shared.WEATHER.schema,
  },
};

/** Collects the whole message of a stream. */
async function collect(stream) {
  let whole;
  for await (const chunk of stream) {
    whole = whole ? whole.concat(chunk) : chunk;
  }
  return whole;
}

for (const useResponsesApi of [false, true]) {
  const prefix = useResponsesApi ? 'responses: ' : '';
  const model = chat({ useResponsesApi });

  await check(`${prefix}chat`, async () => {
    const answer = await model.invoke('What is 7 + 5?');
    assert.match(answer.text, /12/);
    assert.ok(answer.usage_metadata.output_tokens > 0);
  });

  await check(`${prefix}stream`, async () => {
    const answer = await collect(await model.stream('What is 7 + 5?'));
    assert.match(answer.text, /12/);
  });

  await check(`${prefix}usage`, async () => {
    const { usage_metadata: usage } = await collect(await model.stream('What is 7 + 5?'));
    assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0, JSON.stringify(usage));
    assert.equal(usage.total_tokens, usage.input_tokens + usage.output_tokens);
  });

  for (const streamed of [false, true]) {
    await check(prefix + (streamed ? 'streamed tools' : 'tools'), async () => {
      const agent = model.bindTools([TOOL]);
      const messages = [];
      const next = async () => {
        const answer = streamed ? await collect(await agent.stream(messages)) : await agent.invoke(messages);
        messages.push(answer);
        return answer;
      };
      for (const city of shared.CITIES) {
        messages.push(new HumanMessage(shared.question(city)));
        const [call] = (await next()).tool_calls;
        assert.equal(call.name, shared.WEATHER.name);
        assert.deepEqual(call.args, { city });
        messages.push(new ToolMessage({ tool_call_id: call.id, content: shared.weather() }));
        const told = await next();
        assert.deepEqual(told.tool_calls, []);
        assert.match(told.text, new RegExp(city));
      }
    });
  }

  await check(`${prefix}structure`, async () => {
    const structured = chat({ useResponsesApi, maxTokens: 300 }).withStructuredOutput(Forecast, {
      name: 'forecast',
      method: 'jsonSchema',
    });
    Forecast.parse(await structured.invoke('Give the forecast for Bern as an object.'));
  });

  await shared.checkAbort(`${prefix}abort`, async () => {
    const abort = new AbortController();
    const stream = await chat({ useResponsesApi, ...endless }).stream('Count.', { signal: abort.signal });
    await shared.breakOff(stream, () => abort.abort());
  });

  await check(`${prefix}wrong field`, async () => {
    await assert.rejects(
      chat({ useResponsesApi, temperature: 9 }).invoke('x'),
      (e) => e.status === 400 && e.param === 'temperature',
    );
  });

  await check(`${prefix}too long`, async () => {
    await assert.rejects(model.invoke('word '.repeat(20_000)), (e) => ContextOverflowError.isInstance(e));
  });
}

await check('structure by a call', async () => {
  const structured = chat({ maxTokens: 300 }).withStructuredOutput(Forecast, {
    name: 'forecast',
    method: 'functionCalling',
  });
  Forecast.parse(await structured.invoke('Give the forecast for Bern as an object.'));
});

await check('wrong key', async () => {
  await assert.rejects(chat({ apiKey: 'wrong' }).invoke('x'), (e) => e.status === 401);
});

await check('unknown', async () => {
  await assert.rejects(chat({ model: 'nobody' }).invoke('x'), (e) => e.status === 404);
  await assert.rejects(
    chat({ configuration: { baseURL: `${shared.url}/v9` } }).invoke('x'),
    (e) => e.status === 404,
  );
});
