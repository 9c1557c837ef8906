package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.template.TemplateException;
import dev.varve.platform.tokenizer.Tokenizer;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The chat template of a server, tried out before the model is loaded. */
final class ServedTemplate {
    private static final String KEY = "tokenizer.chat_template";

    /** What every template should take. */
    private static final Map<String, Object> PLAIN_CHAT =
            Map.of("messages", List.of(Map.of("role", "user", "content", "Hello")));

    private ServedTemplate() {}

    /**
     * Compiles the template and renders the plainest chat there is.
     *
     * @param given {@code --chat-template-file}
     * @param say takes what a person should know of a template that works in part
     * @return empty if none was given and the model has none
     * @throws VarveException if it cannot be read, compiled or rendered
     */
    static Optional<ChatRenderer> open(
            Optional<Path> given, GgufFile model, Tokenizer tokenizer, Consumer<String> say) {
        String where =
                given.map(file -> "--chat-template-file: " + file)
                        .orElse(model.path().getFileName() + ": " + KEY);
        try {
            Optional<ChatRenderer> chat =
                    given.map(TextFile::read)
                            .or(() -> model.metadata().findString(KEY))
                            .map(ChatTemplate::compile)
                            .map(template -> new ChatRenderer(template, tokenizer));
            chat.ifPresent(renderer -> tryOut(renderer, where, say));
            return chat;
        } catch (TemplateException e) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    where
                            + ": "
                            + e.getMessage()
                            + (given.isPresent() ? "" : "; --chat-template-file names another"),
                    e);
        }
    }

    private static void tryOut(ChatRenderer renderer, String where, Consumer<String> say) {
        try {
            renderer.render(PLAIN_CHAT);
        } catch (TemplateException e) {
            if (!e.raisedByTemplate()) {
                throw e;
            }
            say.accept(where + ": it refuses a chat of one plain message: " + e.getMessage());
        }
    }
}
