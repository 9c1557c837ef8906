package dev.varve.platform.chat;

import dev.varve.api.model.ReasoningMarks;
import dev.varve.api.model.ToolSyntax;
import dev.varve.api.model.ToolSyntax.Frame;
import dev.varve.api.model.ToolSyntax.Spacing;
import dev.varve.api.model.ToolSyntax.Tags;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Markup that chat templates render for calls, in the order in which it is looked for: the first
 * one whose texts are all in the source of a template is its markup.
 */
enum TemplateMarkup {
    HARMONY(Optional.empty(), "<|channel|>"),
    MISTRAL_WITH_ID(mistral("[CALL_ID]"), "[TOOL_CALLS]", "[CALL_ID]"),
    MISTRAL(mistral(""), "[TOOL_CALLS]", "[ARGS]"),
    MISTRAL_ARRAY(json("[TOOL_CALLS]", "", "arguments", Frame.ARRAY), "[TOOL_CALLS]"),
    GRANITE_ARRAY(json("<|tool_call|>", "", "arguments", Frame.ARRAY), "<|tool_call|>"),
    NEMOTRON_ARRAY(json("<TOOLCALL>", "</TOOLCALL>", "arguments", Frame.ARRAY), "<TOOLCALL>"),
    FUNCTION_TAGS(
            tagged(
                    new Tags("<tool_call>", "</tool_call>"),
                    new Tags("<function=", ">"),
                    new Tags("<parameter=", ">"),
                    new Tags("", "</parameter>"),
                    "</function>",
                    Spacing.LINES),
            "<tool_call>",
            "<function=",
            "<parameter="),
    GLM_LINES(glm(new Tags("", "\n"), Spacing.LINES), "<arg_key>", "<arg_value>", "\n<arg_key>"),
    GLM(glm(new Tags("", ""), Spacing.NONE), "<arg_key>", "<arg_value>"),
    MINIMAX(
            tagged(
                    new Tags("<minimax:tool_call>", "</minimax:tool_call>"),
                    new Tags("<invoke name=\"", "\">"),
                    new Tags("<parameter name=\"", "\">"),
                    new Tags("", "</parameter>"),
                    "</invoke>",
                    Spacing.LINES_BETWEEN_ARGUMENTS),
            "<minimax:tool_call>"),
    SEED(
            tagged(
                    new Tags("<seed:tool_call>", "</seed:tool_call>"),
                    new Tags("<function=", ">"),
                    new Tags("<parameter=", ">"),
                    new Tags("", "</parameter>"),
                    "</function>",
                    Spacing.LINES_BETWEEN_ARGUMENTS),
            "<seed:tool_call>"),
    DEEPSEEK_FENCED(
            deepSeek(
                    new Tags("<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "\n```<｜tool▁call▁end｜>"),
                    "\n```json\n"),
            "<｜tool▁calls▁begin｜>",
            "```json"),
    DEEPSEEK(
            deepSeek(new Tags("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"), "<｜tool▁sep｜>"),
            "<｜tool▁calls▁begin｜>"),
    HERMES(
            json("<tool_call>", "</tool_call>", "arguments", Frame.MARKS),
            "<tool_call>",
            "arguments"),
    LLAMA(
            json("<|python_tag|>", "", "parameters", Frame.WHOLE_RESPONSE),
            "<|start_header_id|>",
            "\"parameters\""),
    PLAIN(Optional.empty());

    private static final String THINK_END = "</think>";

    private final Optional<ToolSyntax> tools;
    private final List<String> traits;

    TemplateMarkup(Optional<ToolSyntax> tools, String... traits) {
        this.tools = tools;
        this.traits = Arrays.asList(traits);
    }

    /** Returns the markup that a template renders. */
    static TemplateMarkup of(String source) {
        // Some sources spell line breaks within texts as escapes.
        String text = source.replace("\\n", "\n");
        return Arrays.stream(values())
                .filter(markup -> markup.traits.stream().allMatch(text::contains))
                .findFirst()
                .orElse(PLAIN);
    }

    /** Returns the syntax of calls, if there is one between marks. */
    Optional<ToolSyntax> tools() {
        return tools;
    }

    /** Returns the marks around reasoning, if a template has any. */
    Optional<ReasoningMarks> reasoning(String source) {
        if (this == HARMONY) {
            return Optional.empty();
        }
        if (source.contains("[THINK]")) {
            return Optional.of(new ReasoningMarks("[THINK]", "", "[/THINK]", "[/THINK]"));
        }
        if (source.contains("<seed:think>")) {
            return Optional.of(
                    new ReasoningMarks("<seed:think>", "", "</seed:think>", "</seed:think>\n"));
        }
        if (!source.contains("<think>")) {
            return Optional.empty();
        }
        return Optional.of(
                switch (this) {
                    case GLM, DEEPSEEK -> think("", "");
                    case GLM_LINES -> think("", "\n");
                    default -> think("\n", linesBehindReasoning(source));
                });
    }

    private static ReasoningMarks think(String beforeClose, String afterClose) {
        return new ReasoningMarks("<think>", "", THINK_END, beforeClose + THINK_END + afterClose);
    }

    /** Returns what a template renders between reasoning and content: one line break or two. */
    private static String linesBehindReasoning(String source) {
        String text = source.replace("\\n", "\n");
        boolean isOne = text.contains(THINK_END + "\n") && !text.contains(THINK_END + "\n\n");
        return isOne ? "\n" : "\n\n";
    }

    private static Optional<ToolSyntax> mistral(String idMark) {
        return Optional.of(
                new ToolSyntax.Named(
                        new Tags("[TOOL_CALLS]", ""), new Tags("", ""), idMark, "[ARGS]"));
    }

    private static Optional<ToolSyntax> deepSeek(Tags call, String separator) {
        return Optional.of(
                new ToolSyntax.Named(
                        new Tags("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
                        call,
                        "",
                        separator));
    }

    private static Optional<ToolSyntax> json(
            String open, String close, String argumentsKey, Frame frame) {
        return Optional.of(new ToolSyntax.Json(open, close, argumentsKey, frame));
    }

    private static Optional<ToolSyntax> glm(Tags name, Spacing spacing) {
        return tagged(
                new Tags("<tool_call>", "</tool_call>"),
                name,
                new Tags("<arg_key>", "</arg_key>"),
                new Tags("<arg_value>", "</arg_value>"),
                "",
                spacing);
    }

    private static Optional<ToolSyntax> tagged(
            Tags call, Tags name, Tags key, Tags value, String end, Spacing spacing) {
        boolean isBlock = name.begin().startsWith("<invoke");
        return Optional.of(new ToolSyntax.Tagged(call, name, key, value, end, spacing, isBlock));
    }
}
