package dev.varve.dist;

import dev.varve.testkit.ChainModel;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Families whose models think and call tools in their own markup. Asked with thinking, a model
 * thinks {@value #THOUGHT} and calls {@code get_weather} for Bern and two days; asked without, it
 * says {@value #ANSWER}.
 */
enum AgentFamily {
    QWEN3 {
        @Override
        ChainModel model() {
            return ChainModel.qwen3(QWEN3_TEMPLATE)
                    .says(
                            "\n",
                            "<think>",
                            "\n" + THOUGHT + "\n",
                            "</think>",
                            "<tool_call>",
                            "\n{\"name\": \"",
                            "get_weather",
                            "\", \"arguments\": {\"city\": \"",
                            "Bern",
                            "\", \"days\": ",
                            "2",
                            "}}\n",
                            "</tool_call>",
                            "<|im_end|>")
                    .says("\n\n", "It is sunny", " in Bern.", "<|im_end|>");
        }
    },
    QWEN35 {
        @Override
        ChainModel model() {
            return qwen(ChainModel.qwen35(QWEN_TEMPLATE));
        }
    },
    QWEN35_MOE {
        @Override
        ChainModel model() {
            return qwen(ChainModel.qwen35Moe(QWEN_TEMPLATE));
        }
    },
    LAGUNA {
        @Override
        ChainModel model() {
            return ChainModel.laguna(LAGUNA_TEMPLATE)
                    .says(
                            "<think>",
                            THOUGHT,
                            "</think>",
                            "<tool_call>",
                            "get_weather",
                            "\n<arg_key>city</arg_key>\n<arg_value>",
                            "Bern",
                            "</arg_value>\n<arg_key>days</arg_key>\n<arg_value>",
                            "2",
                            "</arg_value>\n",
                            "</tool_call>",
                            "</assistant>")
                    .says("\n\n", "It is sunny", " in Bern.", "</assistant>");
        }
    },
    GEMMA4 {
        @Override
        ChainModel model() {
            return ChainModel.gemma4(GEMMA_TEMPLATE)
                    .says("\n", "<|channel>", "thought\n", THOUGHT + "\n", "<channel|>")
                    .says("<tool_response|>", "<|channel>")
                    .says("<channel|>", "<|tool_call>", "call:", "get_weather", "{city:", "<|\"|>")
                    .saysBehind("{city:", "<|\"|>", "Bern")
                    .says("Bern", "<|\"|>", ",days:", "2", "}", "<tool_call|>")
                    .says("<tool_call|>", "<|tool_response>")
                    .saysBehind("thought\n", "<channel|>", "It is sunny")
                    .says("It is sunny", " in Bern.", "<turn|>");
        }
    };

    static final String THOUGHT = "I need the weather.";
    static final String ANSWER = "It is sunny in Bern.";

    /**
     * The model opens its reasoning itself. If the request disables reasoning, the template writes
     * an empty block of reasoning.
     */
    private static final String QWEN3_TEMPLATE =
            """
            {%- if tools -%}
            {{ '<|im_start|>system\\n<tools>\\n' }}
            {%- for tool in tools -%}{{ (tool | tojson) + '\\n' }}{%- endfor -%}
            {{ '</tools><|im_end|>\\n' }}
            {%- endif -%}
            {%- for message in messages -%}
            {%- if message.role == 'tool' -%}
            {{ '<|im_start|>user\\n<tool_response>\\n' + message.content }}
            {{- '\\n</tool_response><|im_end|>\\n' }}
            {%- else -%}
            {{ '<|im_start|>' + message.role + '\\n' }}
            {%- if message.reasoning_content -%}
            {{ '<think>\\n' + message.reasoning_content.strip('\\n') + '\\n</think>\\n\\n' }}
            {%- endif -%}
            {{ message.content or '' }}
            {%- for call in message.tool_calls or [] -%}
            {{ '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
            {{- (call.function.arguments | tojson) + '}\\n</tool_call>' }}
            {%- endfor -%}
            {{ '<|im_end|>\\n' }}
            {%- endif -%}
            {%- endfor -%}
            {%- if add_generation_prompt -%}
            {{ '<|im_start|>assistant\\n' }}
            {%- if enable_thinking is defined and enable_thinking is false -%}
            {{ '<think>\\n\\n</think>\\n\\n' }}
            {%- endif -%}
            {%- endif -%}
            """;

    private static final String QWEN_TEMPLATE =
            """
            {%- if tools -%}
            {{ '<|im_start|>system\\n<tools>\\n' }}
            {%- for tool in tools -%}{{ (tool | tojson) + '\\n' }}{%- endfor -%}
            {{ '</tools><|im_end|>\\n' }}
            {%- endif -%}
            {%- for message in messages -%}
            {%- if message.role == 'tool' -%}
            {{ '<|im_start|>user\\n<tool_response>\\n' + message.content }}
            {{- '\\n</tool_response><|im_end|>\\n' }}
            {%- else -%}
            {{ '<|im_start|>' + message.role + '\\n' }}
            {%- if message.reasoning_content -%}
            {{ '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}
            {%- endif -%}
            {{ message.content or '' }}
            {%- for call in message.tool_calls or [] -%}
            {{ '<tool_call>\\n<function=' + call.function.name + '>\\n' }}
            {%- for key, value in call.function.arguments | items -%}
            {{ '<parameter=' + key + '>\\n' + (value | string) + '\\n</parameter>\\n' }}
            {%- endfor -%}
            {{ '</function>\\n</tool_call>' }}
            {%- endfor -%}
            {{ '<|im_end|>\\n' }}
            {%- endif -%}
            {%- endfor -%}
            {%- if add_generation_prompt -%}
            {{ '<|im_start|>assistant\\n<think>\\n' }}
            {%- if enable_thinking is defined and not enable_thinking -%}
            {{ '\\n</think>\\n\\n' }}
            {%- endif -%}
            {%- endif -%}
            """;

    /**
     * White space follows reasoning that the template closes, but not reasoning that the model
     * closes.
     */
    private static final String LAGUNA_TEMPLATE =
            """
            {{- '〈|EOS|〉' -}}
            {%- if tools -%}
            {{ '<system>\\n<available_tools>\\n' }}
            {%- for tool in tools -%}{{ (tool | tojson) + '\\n' }}{%- endfor -%}
            {{ '</available_tools>\\n</system>\\n' }}
            {%- endif -%}
            {%- for message in messages -%}
            {%- if message.role == 'tool' -%}
            {{ '<tool_response>\\n' + message.content + '\\n</tool_response>\\n' }}
            {%- elif message.role == 'assistant' -%}
            {{ '<assistant>\\n' }}
            {%- if message.reasoning_content -%}
            {{ '<think>' + message.reasoning_content }}
            {%- endif -%}
            {{ '</think>' + (message.content or '') }}
            {%- for call in message.tool_calls or [] -%}
            {{ '<tool_call>' + call.function.name + '\\n' }}
            {%- for key, value in call.function.arguments | items -%}
            {{ '<arg_key>' + key + '</arg_key>\\n' }}
            {{- '<arg_value>' + (value | string) + '</arg_value>\\n' }}
            {%- endfor -%}
            {{ '</tool_call>' }}
            {%- endfor -%}
            {{ '</assistant>\\n' }}
            {%- else -%}
            {{ '<' + message.role + '>\\n' + message.content + '\\n</' + message.role + '>\\n' }}
            {%- endif -%}
            {%- endfor -%}
            {%- if add_generation_prompt -%}
            {{ '<assistant>\\n' }}
            {%- if enable_thinking -%}
            {{ '<think>' }}
            {%- else -%}
            {{ '</think>\\n\\n' }}
            {%- endif -%}
            {%- endif -%}
            """;

    /** Calls and their results stay in one turn of the model. */
    private static final String GEMMA_TEMPLATE =
            """
            {{- bos_token -}}
            {%- if tools -%}
            {{ '<|turn>system\\n' }}
            {%- for tool in tools -%}{{ '<|tool>' + (tool | tojson) + '<tool|>' }}{%- endfor -%}
            {{ '<turn|>\\n' }}
            {%- endif -%}
            {%- set turn = namespace(open=false) -%}
            {%- for message in messages -%}
            {%- if message.role == 'tool' -%}
            {{ '<|tool_response>' + message.content + '<tool_response|>' }}
            {%- elif message.role == 'assistant' -%}
            {%- if not turn.open -%}{{ '<|turn>model\\n' }}{%- endif -%}
            {%- set turn.open = true -%}
            {%- if message.reasoning_content -%}
            {{ '<|channel>thought\\n' + (message.reasoning_content | trim) + '\\n<channel|>' }}
            {%- endif -%}
            {{ message.content or '' }}
            {%- for call in message.tool_calls or [] -%}
            {{ '<|tool_call>call:' + call.function.name + '{city:<|"|>' }}
            {{- call.function.arguments.city + '<|"|>,days:' }}
            {{- (call.function.arguments.days | string) + '}<tool_call|>' }}
            {%- endfor -%}
            {%- else -%}
            {%- if turn.open -%}{{ '<turn|>\\n' }}{%- endif -%}
            {%- set turn.open = false -%}
            {{ '<|turn>' + message.role + '\\n' + message.content + '<turn|>\\n' }}
            {%- endif -%}
            {%- endfor -%}
            {%- if add_generation_prompt and not turn.open -%}
            {{ '<|turn>model\\n' }}
            {%- if not enable_thinking | default(false) -%}
            {{ '<|channel>thought\\n<channel|>' }}
            {%- endif -%}
            {%- endif -%}
            """;

    abstract ChainModel model();

    Path write(Path folder) throws IOException {
        return model().write(folder.resolve(name() + ".gguf"));
    }

    private static ChainModel qwen(ChainModel model) {
        return model.says(
                        "\n",
                        THOUGHT,
                        "</think>",
                        "<tool_call>",
                        "\n<function=",
                        "get_weather",
                        ">\n<parameter=city>\n",
                        "Bern",
                        "\n</parameter>\n<parameter=days>\n",
                        "2",
                        "\n</parameter>\n</function>\n",
                        "</tool_call>",
                        "<|im_end|>")
                .says("\n\n", "It is sunny", " in Bern.", "<|im_end|>");
    }
}
