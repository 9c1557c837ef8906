package dev.varve.platform.chat;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.log.ControlCharacters;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.template.TemplateException;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Source of a chat template, which is tried with a test chat before it is used.
 *
 * @param source text of the template
 * @param place where it was found, for messages
 * @param isGiven whether it replaces the template of the model
 */
public record ModelTemplate(String source, String place, boolean isGiven) {
    private static final String KEY = "tokenizer.chat_template";

    /** Text of the test message, which no template contains itself. */
    private static final String MESSAGE = "Varve tries this template";

    /** Test chat that every template should accept. */
    private static final Map<String, Object> PLAIN_CHAT =
            Map.of("messages", List.of(Map.of("role", "user", "content", MESSAGE)));

    private static final int SHOWN = 40;

    /** Returns the template of a model; empty if the model has none. */
    public static Optional<ModelTemplate> of(GgufFile model) {
        return model.metadata()
                .findString(KEY)
                .map(
                        source ->
                                new ModelTemplate(
                                        source, model.path().getFileName() + ": " + KEY, false));
    }

    /**
     * Compiles the template and renders the test chat.
     *
     * @param say accepts notes about a template that works in part
     * @throws VarveException of kind CORRUPT_FILE if it cannot be compiled or rendered
     */
    public ChatRenderer renderer(Tokenizer tokenizer, Consumer<String> say) {
        try {
            requireExpressions();
            ChatRenderer renderer =
                    new ChatRenderer(
                            ChatTemplate.compile(StoredTemplate.repaired(source)), tokenizer);
            tryOut(renderer, say);
            return renderer;
        } catch (TemplateException e) {
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE,
                    place
                            + ": "
                            + e.getMessage()
                            + (isGiven
                                    ? ""
                                    : "; set another template with " + Setting.CHAT_TEMPLATE),
                    e);
        }
    }

    /** Some files hold the name of a template, such as {@code chatml}, or nothing. */
    private void requireExpressions() {
        if (source.contains("{{") || source.contains("{%")) {
            return;
        }
        String text = ControlCharacters.replace(source.strip(), '?');
        String shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
        throw new VarveException(
                VarveException.Kind.CORRUPT_FILE,
                place
                        + ": expected a Jinja template that renders messages, found "
                        + (text.isEmpty() ? "an empty text" : "only the text \"" + shown + "\"")
                        + "; set a file with the model's template with "
                        + Setting.CHAT_TEMPLATE);
    }

    private void tryOut(ChatRenderer renderer, Consumer<String> say) {
        try {
            renderer.render(PLAIN_CHAT);
            if (!renderer.text(PLAIN_CHAT).text().contains(MESSAGE)) {
                say.accept(place + ": the template omits the text of a chat with one message");
            }
        } catch (TemplateException e) {
            if (!e.raisedByTemplate()) {
                throw e;
            }
            say.accept(
                    place
                            + ": the template rejects a chat with one plain message: "
                            + e.getMessage());
        }
    }
}
