package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ModelTemplate;
import dev.varve.platform.tokenizer.Tokenizer;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/** Loads the chat template of a model, or the one that the user names. */
final class ChatTemplateLoader {
    private static final String FLAG = "--chat-template-file";

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
        return given.map(ChatTemplateLoader::read)
                .or(() -> ModelTemplate.of(model))
                .map(template -> template.renderer(tokenizer, say));
    }

    private static ModelTemplate read(Path file) {
        return new ModelTemplate(TextFile.read(FLAG, file), FLAG + ": " + file, true);
    }
}
