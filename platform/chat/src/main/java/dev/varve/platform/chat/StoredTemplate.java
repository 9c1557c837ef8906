package dev.varve.platform.chat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Repairs known faults of chat templates that model files contain. */
public final class StoredTemplate {
    /**
     * Conditions that refuse harmless histories: a text that quotes a mark, and a message of an
     * assistant without text.
     */
    private static final Pattern NEEDLESS_REFUSAL =
            Pattern.compile(
                    "raise_exception\\((?:\"[^\"]*<\\|channel\\|> tags in the content field[^\"]*\""
                            + "|'Assistant message must have a string or a list of chunks in"
                            + " content or a list of tool calls[^']*')\\)");

    /** The system prompt in DeepSeek's templates. */
    private static final Pattern SYSTEM_PROMPT =
            Pattern.compile("\\{\\{-?\\s*ns\\.system_prompt\\s*}}");

    private static final Pattern TOOLS = Pattern.compile("\\btools\\b");

    /** The tools, in the form in which DeepSeek's models were trained with them. */
    private static final String DEEPSEEK_TOOLS =
            "{%- if tools %}{{ '\\n\\n' if ns.system_prompt }}"
                    + "{{ '## Tools\\nYou have access to the following tools:\\n' }}"
                    + "{%- for tool in tools %}"
                    + "{{ '\\n### ' + tool.function.name + '\\nDescription: '"
                    + " + (tool.function.description or '') + '\\n\\nParameters: '"
                    + " + (tool.function.parameters | tojson) + '\\n' }}{%- endfor %}"
                    + "{{ '\\nIMPORTANT: ALWAYS adhere to this exact format for tool use:\\n"
                    + "CALLS\\n' }}{%- endif %}";

    private StoredTemplate() {}

    /**
     * Returns the source of a template without conditions that refuse harmless histories, and with
     * the tools where it renders calls of tools but no tools.
     */
    public static String repaired(String source) {
        return withTools(NEEDLESS_REFUSAL.matcher(source).replaceAll("''"));
    }

    private static String withTools(String source) {
        boolean isFenced = TemplateMarkup.of(source) == TemplateMarkup.DEEPSEEK_FENCED;
        if (!isFenced && TemplateMarkup.of(source) != TemplateMarkup.DEEPSEEK
                || TOOLS.matcher(source).find()) {
            return source;
        }
        String call =
                isFenced
                        ? "function<｜tool▁sep｜>tool_call_name\\n```json\\ntool_call_arguments\\n```"
                        : "tool_call_name<｜tool▁sep｜>tool_call_arguments";
        String calls =
                "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>"
                        + call
                        + "<｜tool▁call▁end｜>{additional_tool_calls}<｜tool▁calls▁end｜>";
        Matcher prompt = SYSTEM_PROMPT.matcher(source);
        return prompt.replaceFirst(
                "$0" + Matcher.quoteReplacement(DEEPSEEK_TOOLS.replace("CALLS", calls)));
    }
}
