package dev.varve.platform.chat;

import dev.varve.api.model.ChatDialect;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Answers in the dialects of templates. */
enum TemplateAnswers {
    HERMES(
            TemplateMarkup.HERMES,
            "<tool_call> <think> tool_call.arguments",
            "<think>|</think>|<tool_call>|</tool_call>",
            city ->
                    "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \""
                            + city
                            + "\", \"n\": 2}}\n</tool_call>"),
    FUNCTION_TAGS(
            TemplateMarkup.FUNCTION_TAGS,
            "<tool_call><function=<parameter=<think>",
            "<think>|</think>|<tool_call>|</tool_call>",
            city ->
                    "<tool_call>\n<function=get_weather>\n<parameter=city>\n"
                            + city
                            + "\n</parameter>\n<parameter=n>\n2\n</parameter>\n</function>\n"
                            + "</tool_call>"),
    GLM_LINES(
            TemplateMarkup.GLM_LINES,
            "<tool_call>f\\n<arg_key><arg_value><think>",
            "<think>|</think>|<tool_call>|</tool_call>",
            city ->
                    "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>"
                            + city
                            + "</arg_value>\n<arg_key>n</arg_key>\n<arg_value>2</arg_value>\n"
                            + "</tool_call>"),
    GLM(
            TemplateMarkup.GLM,
            "<tool_call>f<arg_key><arg_value><think>",
            "<think>|</think>|<tool_call>|</tool_call>",
            city ->
                    "<tool_call>get_weather<arg_key>city</arg_key><arg_value>"
                            + city
                            + "</arg_value><arg_key>n</arg_key><arg_value>2</arg_value>"
                            + "</tool_call>"),
    MINIMAX(
            TemplateMarkup.MINIMAX,
            "<minimax:tool_call><think>",
            "<think>|</think>|<minimax:tool_call>|</minimax:tool_call>",
            city ->
                    "<invoke name=\"get_weather\">\n<parameter name=\"city\">"
                            + city
                            + "</parameter>\n<parameter name=\"n\">2</parameter>\n</invoke>\n") {
        @Override
        String calls(String... cities) {
            return "<minimax:tool_call>\n" + super.calls(cities) + "</minimax:tool_call>";
        }
    },
    SEED(
            TemplateMarkup.SEED,
            "<seed:tool_call><seed:think>",
            "<seed:think>|</seed:think>|<seed:tool_call>|</seed:tool_call>",
            city ->
                    "<seed:tool_call>\n<function=get_weather>\n<parameter=city>"
                            + city
                            + "</parameter>\n<parameter=n>2</parameter>\n</function>\n"
                            + "</seed:tool_call>"),
    DEEPSEEK(
            TemplateMarkup.DEEPSEEK,
            "<｜tool▁calls▁begin｜><think>",
            "<think>|</think>|<｜tool▁calls▁begin｜>|<｜tool▁calls▁end｜>|<｜tool▁call▁begin｜>"
                    + "|<｜tool▁call▁end｜>|<｜tool▁sep｜>",
            city ->
                    "<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{\"city\": \""
                            + city
                            + "\", \"n\": 2}<｜tool▁call▁end｜>") {
        @Override
        String calls(String... cities) {
            return "<｜tool▁calls▁begin｜>" + super.calls(cities) + "<｜tool▁calls▁end｜>";
        }
    },
    DEEPSEEK_FENCED(
            TemplateMarkup.DEEPSEEK_FENCED,
            "<｜tool▁calls▁begin｜><think>\\n```json",
            "<think>|</think>|<｜tool▁calls▁begin｜>|<｜tool▁calls▁end｜>|<｜tool▁call▁begin｜>"
                    + "|<｜tool▁call▁end｜>|<｜tool▁sep｜>",
            city ->
                    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": \""
                            + city
                            + "\", \"n\": 2}\n```<｜tool▁call▁end｜>") {
        @Override
        String calls(String... cities) {
            return "<｜tool▁calls▁begin｜>"
                    + super.calls(cities).replace("｜><｜tool▁call▁b", "｜>\n<｜tool▁call▁b")
                    + "<｜tool▁calls▁end｜>";
        }
    },
    MISTRAL(
            TemplateMarkup.MISTRAL,
            "[SYSTEM_PROMPT][TOOL_CALLS][ARGS][THINK]",
            "[THINK]|[/THINK]|[TOOL_CALLS]|[ARGS]",
            city -> "[TOOL_CALLS]get_weather[ARGS]{\"city\": \"" + city + "\", \"n\": 2}"),
    MISTRAL_WITH_ID(
            TemplateMarkup.MISTRAL_WITH_ID,
            "[TOOL_CALLS][CALL_ID][ARGS]",
            "[TOOL_CALLS]|[ARGS]|[CALL_ID]",
            city ->
                    "[TOOL_CALLS]get_weather[CALL_ID]12345678Z[ARGS]{\"city\": \""
                            + city
                            + "\", \"n\": 2}"),
    MISTRAL_ARRAY(
            TemplateMarkup.MISTRAL_ARRAY,
            "[TOOL_CALLS]",
            "[TOOL_CALLS]",
            city ->
                    "{\"name\": \"get_weather\", \"arguments\": {\"city\": \""
                            + city
                            + "\", \"n\": 2}, \"id\": \"12345678Z\"}") {
        @Override
        String calls(String... cities) {
            return "[TOOL_CALLS][" + super.calls(cities).replace("}{", "}, {") + "]";
        }
    },
    GRANITE_ARRAY(
            TemplateMarkup.GRANITE_ARRAY,
            "<|start_of_role|> <|tool_call|> <think>",
            "<think>|</think>|<|tool_call|>",
            city ->
                    "{\"name\": \"get_weather\", \"arguments\": {\"city\": \""
                            + city
                            + "\", \"n\": 2}}") {
        @Override
        String calls(String... cities) {
            return "<|tool_call|>[" + super.calls(cities).replace("}{", "}, {") + "]";
        }
    },
    NEMOTRON_ARRAY(
            TemplateMarkup.NEMOTRON_ARRAY,
            "<AVAILABLE_TOOLS> <TOOLCALL> <think>",
            "<think>|</think>|<TOOLCALL>|</TOOLCALL>",
            city ->
                    "{\"name\": \"get_weather\", \"arguments\": {\"city\": \""
                            + city
                            + "\", \"n\": 2}}") {
        @Override
        String calls(String... cities) {
            return "<TOOLCALL>[" + super.calls(cities).replace("}{", "}, {") + "]</TOOLCALL>";
        }
    },
    LLAMA(
            TemplateMarkup.LLAMA,
            "<|start_header_id|> {\"name\": f, \"parameters\": x}",
            "<|python_tag|>|<|eom_id|>",
            city ->
                    "{\"name\": \"get_weather\", \"parameters\": {\"city\": \""
                            + city
                            + "\", \"n\": 2}}"),
    HARMONY(
            TemplateMarkup.HARMONY,
            "<|channel|>",
            "<|start|>|<|end|>|<|message|>|<|channel|>|<|constrain|>|<|return|>|<|call|>",
            city ->
                    "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
                            + "{\"city\": \""
                            + city
                            + "\", \"n\": 2}") {
        @Override
        String calls(String... cities) {
            return super.calls(cities).replace("}<|channel", "}<|end|><|start|>assistant<|channel");
        }

        @Override
        String behind(String reasoning, String calls) {
            return "<|channel|>analysis<|message|>"
                    + reasoning
                    + "<|end|><|start|>assistant"
                    + calls;
        }
    };

    static final String END = "<|im_end|>";

    final TemplateMarkup markup;
    final TemplateDialect dialect;
    final List<String> specials;

    /** Every byte is a token, and so are the marks. */
    final Tokenizer tokens;

    /** Every byte is a token, and marks are plain text. */
    final Tokenizer plain;

    private final UnaryOperator<String> call;

    TemplateAnswers(
            TemplateMarkup markup, String source, String specials, UnaryOperator<String> call) {
        this.markup = markup;
        this.call = call;
        dialect = TemplateDialect.of(source);
        this.specials = List.of(specials.split("\\|(?=[<\\[])"));
        tokens =
                TestTokenizers.ofBytes(
                        Stream.concat(this.specials.stream(), Stream.of("<|im_end|>"))
                                .toArray(String[]::new));
        plain = TestTokenizers.ofBytes("<|im_end|>");
    }

    /** Whether marks may be plain text. */
    boolean mayBePlain() {
        return this != HARMONY;
    }

    /** Calls of a tool, one for each city. */
    String calls(String... cities) {
        return Arrays.stream(cities).map(call).collect(Collectors.joining());
    }

    /** An answer of reasoning and calls. */
    String behind(String reasoning, String calls) {
        return dialect.marks()
                .reasoning()
                .map(marks -> marks.open() + reasoning + marks.close() + "\n\n" + calls)
                .orElse(calls);
    }

    ResponseSyntax with(Tokenizer tokenizer) {
        return ResponseSyntax.of(
                ChatDialect.byTemplate(), Optional.of(dialect), tokenizer, UnmarkedCallPolicy.AUTO);
    }

    Dialects.Answer read(Tokenizer tokenizer, String text, ToolDeclaration... tools) {
        return read(tokenizer, tokenizer.encode(text, true), tools);
    }

    Dialects.Answer read(Tokenizer tokenizer, int[] answer, ToolDeclaration... tools) {
        return Dialects.Answer.of(
                with(tokenizer).open(new int[0], Dialects.options(tools)).text(), answer);
    }
}
