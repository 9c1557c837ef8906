package dev.varve.platform.http.model;

import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.setting.Setting;

/**
 * Whether a model can use tools: its template must render them, and its output must have markup for
 * calls.
 */
public enum ToolSupport {
    FULL(""),
    NO_MARKUP(
            "tools: the server cannot parse tool calls of this model: its family or chat template"
                + " has no tool-call syntax, or its vocabulary lacks the tokens of that syntax"),
    NOT_SHOWN(
            "tools: the chat template of this model does not render tools; start the server with"
                    + " another one ("
                    + Setting.CHAT_TEMPLATE
                    + ")");

    private final String refusal;

    ToolSupport(String refusal) {
        this.refusal = refusal;
    }

    /** Returns the support of a model for tools. */
    public static ToolSupport of(ServedModel served) {
        if (!served.textProcessing().responseSyntax().hasTools()) {
            return NO_MARKUP;
        }
        return served.textProcessing().chat().filter(ChatRenderer::rendersTools).isPresent()
                ? FULL
                : NOT_SHOWN;
    }

    /**
     * Checks that tools are supported.
     *
     * @throws ApiException a 400 that says what is missing
     */
    public void require() {
        if (this != FULL) {
            throw ApiException.invalid("tools", refusal);
        }
    }
}
