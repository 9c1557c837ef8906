// The official OpenAI and Anthropic clients with models of several families: tools, reasoning and structure.
// VARVE_MODELS has a line of JSON for each model; VARVE_TEXTS has the questions that the models know, and their answers.
import assert from 'node:assert/strict';

import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';

const url = process.env.VARVE_URL;
const texts = JSON.parse(process.env.VARVE_TEXTS);
const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0, timeout: 30_000 });
const anthropic = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0, timeout: 30_000 });

const MOST = 4000;
const Weather = z.object({ city: z.enum(['Bern', 'Rome']), celsius: z.int() });
const Arguments = z.strictObject({ city: z.enum(['Bern', 'Rome']), n: z.int().min(1).max(3) });
const TOOLS = [
  {
    name: 'get_weather',
    description: 'Get the weather in a city',
    schema: {
      type: 'object',
      properties: {
        city: { type: 'string', enum: ['Bern', 'Rome'] },
        n: { type: 'integer', minimum: 1, maximum: 3 },
      },
      required: ['city', 'n'],
      additionalProperties: false,
    },
  },
  {
    name: 'get_time',
    description: 'Get the time',
    schema: { type: 'object', properties: {}, additionalProperties: false },
  },
];

// Each API: a conversation begins, asks, and gets results of tools. `choice` is auto, required or the name of a tool.

class Chat {
  static async structured(model, question) {
    const answer = await openai.chat.completions.parse({
      model,
      max_completion_tokens: MOST,
      messages: [{ role: 'user', content: question }],
      response_format: zodResponseFormat(Weather, 'weather'),
    });
    return answer.choices[0].message.parsed;
  }

  constructor(model, question) {
    this.model = model;
    this.messages = [{ role: 'user', content: question }];
  }

  async ask({ reasons, tools, choice, stream }) {
    const request = {
      model: this.model,
      max_completion_tokens: MOST,
      messages: this.messages,
      ...(reasons && { reasoning_effort: 'medium' }),
      ...(tools && {
        tools: TOOLS.map(({ name, description, schema }) => ({
          type: 'function',
          function: { name, description, parameters: schema },
        })),
        tool_choice: ['auto', 'required'].includes(choice)
          ? choice
          : { type: 'function', function: { name: choice } },
      }),
    };
    const { message, finish_reason: finished } = stream
      ? await this.streamed(request)
      : (await openai.chat.completions.create(request)).choices[0];
    this.messages.push(message);
    const calls = message.tool_calls ?? [];
    assert.equal(finished, calls.length > 0 && choice === 'auto' ? 'tool_calls' : finished);
    return {
      calls: calls.map((call) => ({
        id: call.id,
        name: call.function.name,
        input: JSON.parse(call.function.arguments),
      })),
      text: message.content ?? '',
      reasoning: message.reasoning_content ?? '',
    };
  }

  /** The client adds up the parts that it knows, of which reasoning is none. */
  async streamed(request) {
    let reasoning = '';
    const stream = openai.chat.completions.stream(request);
    stream.on('chunk', ({ choices }) => (reasoning += choices[0]?.delta.reasoning_content ?? ''));
    const [choice] = (await stream.finalChatCompletion()).choices;
    return { ...choice, message: { ...choice.message, reasoning_content: reasoning } };
  }

  tell(call, result) {
    this.messages.push({ role: 'tool', tool_call_id: call.id, content: result });
  }
}

class Messages {
  static async structured(model, question) {
    const answer = await anthropic.messages.parse({
      model,
      max_tokens: MOST,
      messages: [{ role: 'user', content: question }],
      output_config: { format: zodOutputFormat(Weather) },
    });
    return answer.parsed_output;
  }

  constructor(model, question) {
    this.model = model;
    this.messages = [{ role: 'user', content: question }];
    this.results = [];
  }

  async ask({ reasons, tools, choice, stream }) {
    if (this.results.length > 0) {
      this.messages.push({ role: 'user', content: this.results });
      this.results = [];
    }
    const request = {
      model: this.model,
      max_tokens: MOST,
      messages: this.messages,
      ...(reasons && { thinking: { type: 'enabled', budget_tokens: 1024 } }),
      ...(tools && {
        tools: TOOLS.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
        tool_choice:
          choice === 'auto' ? { type: 'auto' } : choice === 'required' ? { type: 'any' } : { type: 'tool', name: choice },
      }),
    };
    const answer = stream
      ? await anthropic.messages.stream(request).finalMessage()
      : await anthropic.messages.create(request);
    this.messages.push({ role: 'assistant', content: answer.content });
    const calls = answer.content.filter((block) => block.type === 'tool_use');
    assert.equal(answer.stop_reason, calls.length > 0 ? 'tool_use' : 'end_turn');
    const all = (type, key) =>
      answer.content
        .filter((block) => block.type === type)
        .map((block) => block[key])
        .join('');
    return { calls, text: all('text', 'text'), reasoning: all('thinking', 'thinking') };
  }

  tell(call, result) {
    this.results.push({ type: 'tool_result', tool_use_id: call.id, content: result });
  }
}

class Responses {
  static async structured(model, question) {
    const answer = await openai.responses.parse({
      model,
      max_output_tokens: MOST,
      input: question,
      text: { format: zodTextFormat(Weather, 'weather') },
    });
    return answer.output_parsed;
  }

  constructor(model, question) {
    this.model = model;
    this.input = [{ role: 'user', content: question }];
  }

  async ask({ reasons, tools, choice, stream }) {
    const request = {
      model: this.model,
      max_output_tokens: MOST,
      input: this.input,
      ...(reasons && { reasoning: { effort: 'medium' } }),
      ...(tools && {
        tools: TOOLS.map(({ name, description, schema }) => ({
          type: 'function',
          name,
          description,
          parameters: schema,
          strict: false,
        })),
        tool_choice: ['auto', 'required'].includes(choice) ? choice : { type: 'function', name: choice },
      }),
    };
    const answer = stream
      ? await openai.responses.stream(request).finalResponse()
      : await openai.responses.create(request);
    assert.equal(answer.status, 'completed');
    this.input.push(...answer.output);
    const calls = answer.output.filter((item) => item.type === 'function_call');
    return {
      calls: calls.map((call) => ({ id: call.call_id, name: call.name, input: JSON.parse(call.arguments) })),
      text: answer.output_text,
      reasoning: answer.output
        .filter((item) => item.type === 'reasoning')
        .flatMap((item) => item.content ?? [])
        .map((part) => part.text)
        .join(''),
    };
  }

  tell(call, result) {
    this.input.push({ type: 'function_call_output', call_id: call.id, output: result });
  }
}

const APIS = { chat: Chat, messages: Messages, responses: Responses };

/** Asks for the weather in some cities, and sends the results back. */
async function checkTools(Api, { model, reasons }, question, cities, stream) {
  const options = { reasons, tools: true, choice: 'auto', stream };
  const conversation = new Api(model, question);
  const called = await conversation.ask(options);
  const wanted = cities.map((city) => ({ name: 'get_weather', input: { city, n: 2 } }));
  assert.deepEqual(
    called.calls.map(({ name, input }) => ({ name, input })),
    wanted,
  );
  assert.equal(called.text.trim(), '');
  assert.equal(new Set(called.calls.map(({ id }) => id)).size, cities.length);
  called.calls.forEach((call) => conversation.tell(call, `It has ${texts.result}.`));
  const told = await conversation.ask(options);
  assert.deepEqual(told.calls, []);
  assert.equal(told.text, texts.report);
}

/** Has a model call that would rather talk. */
async function checkForced(Api, { model }, choice, names) {
  const { calls, text } = await new Api(model, 'Say hello.').ask({ tools: true, choice });
  assert.ok(calls.length > 0, text);
  for (const call of calls) {
    assert.ok(names.includes(call.name), call.name);
    call.name === 'get_weather' ? Arguments.parse(call.input) : assert.deepEqual(call.input, {});
  }
}

async function checkReasoning(Api, { model }, stream) {
  const answer = await new Api(model, 'Say hello.').ask({ reasons: true, stream });
  assert.equal(answer.reasoning.trim(), texts.reasoning);
  assert.equal(answer.text, texts.greeting);
}

async function checkStructure(Api, { model }) {
  assert.deepEqual(await Api.structured(model, texts.asObject), Weather.parse(JSON.parse(texts.object)));
}

async function checkRefusal(Api, { model }) {
  const outcome = new Api(model, texts.oneCity).ask({ tools: true, choice: 'auto' });
  await assert.rejects(outcome, (e) => e.status === 400 && e.message.includes('tools'));
}

const everywhere = (body) => async (Api, model) => {
  for (const stream of [false, true]) {
    await body(Api, model, stream);
  }
};

const CHECKS = {
  tools: everywhere((Api, model, stream) => checkTools(Api, model, texts.oneCity, ['Bern'], stream)),
  'parallel tools': everywhere((Api, model, stream) =>
    checkTools(Api, model, texts.twoCities, ['Bern', 'Rome'], stream),
  ),
  'required tool': (Api, model) => checkForced(Api, model, 'required', ['get_weather', 'get_time']),
  'named tool': (Api, model) => checkForced(Api, model, 'get_weather', ['get_weather']),
  reasoning: everywhere(checkReasoning),
  structure: checkStructure,
  'refused tools': checkRefusal,
};

for (const model of process.env.VARVE_MODELS.split('\n').map((line) => JSON.parse(line))) {
  for (const [api, Api] of Object.entries(APIS)) {
    for (const check of model.checks) {
      const line = { model: model.model, api, check, ok: true };
      try {
        await CHECKS[check](Api, model);
      } catch (e) {
        line.ok = false;
        line.error = String(e?.stack ?? e).slice(0, 2000);
      }
      console.log(JSON.stringify(line));
    }
  }
}
