package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.StoredTemplate;
import dev.varve.platform.log.ControlCharacters;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.template.TemplateException;
import dev.varve.platform.tokenizer.Tokenizer;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Loads the chat template of a model and renders a test chat before it is used. */
final class ChatTemplateLoader {
    private static final String KEY = "tokenizer.chat_template";

    /** Text of the test message, which no template contains itself. */
    private static final String MESSAGE = "Varve tries this template";

    /** Test chat that every template should accept. */
    private static final Map<String, Object> PLAIN_CHAT =
            Map.of("messages", List.of(Map.of("role", "user", "content", MESSAGE)));

    private static final int SHOWN = 40;

    private ChatTemplateLoader() {}

    /**
     * Compiles the template and renders the test chat.
     *
     * @param given {@code --chat-template-file}
     * @param say accepts notes for the user about a template that works in part
     * @return empty if none was given and the model has none
     * @throws VarveException if it cannot be read, compiled or rendered
     */
    static Optional<ChatRenderer> open(
            Optional<Path> given, GgufFile model, Tokenizer tokenizer, Consumer<String> say) {
        String where =
                given.map(file -> "--chat-template-file: " + file)
                        .orElse(model.path().getFileName() + ": " + KEY);
        try {
            Optional<String> source =
                    given.map(file -> TextFile.read("--chat-template-file", file))
                            .or(() -> model.metadata().findString(KEY));
            source.ifPresent(text -> requireExpressions(text, where));
            Optional<ChatRenderer> chat =
                    source.map(StoredTemplate::repaired)
                            .map(ChatTemplate::compile)
                            .map(template -> new ChatRenderer(template, tokenizer));
            chat.ifPresent(renderer -> tryOut(renderer, where, say));
            return chat;
        } catch (TemplateException e) {
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE,
                    where
                            + ": "
                            + e.getMessage()
                            + (given.isPresent()
                                    ? ""
                                    : "; set another template with --chat-template-file"),
                    e);
        }
    }

    /** Some files hold the name of a template, such as {@code chatml}, or nothing. */
    private static void requireExpressions(String source, String where) {
        if (source.contains("{{") || source.contains("{%")) {
            return;
        }
        String text = ControlCharacters.replace(source.strip(), '?');
        String shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
        throw new VarveException(
                VarveException.Kind.CORRUPT_FILE,
                where
                        + ": expected a Jinja template that renders messages, found "
                        + (text.isEmpty() ? "an empty text" : "only the text \"" + shown + "\"")
                        + "; set a file with the model's template with --chat-template-file");
    }

    private static void tryOut(ChatRenderer renderer, String where, Consumer<String> say) {
        try {
            renderer.render(PLAIN_CHAT);
            if (!renderer.text(PLAIN_CHAT).text().contains(MESSAGE)) {
                say.accept(where + ": the template omits the text of a chat with one message");
            }
        } catch (TemplateException e) {
            if (!e.raisedByTemplate()) {
                throw e;
            }
            say.accept(
                    where
                            + ": the template rejects a chat with one plain message: "
                            + e.getMessage());
        }
    }
}
