package dev.varve.platform.cli;

import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.host.HostedModel;

import picocli.CommandLine.Option;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Options of the prompt, in one of three forms. */
final class PromptArguments {
    @Option(
            names = "--chat",
            required = true,
            paramLabel = "TEXT",
            description = "User message to answer.",
            order = 2)
    private String message;

    @Option(
            names = {"-p", "--prompt"},
            required = true,
            paramLabel = "TEXT",
            description = "Text to continue.",
            order = 3)
    private String text;

    @Option(
            names = "--tokens",
            required = true,
            paramLabel = "IDS",
            description = "Token ids to continue, such as 1,2,3.",
            order = 4)
    private String ids;

    /** Whether the prompt is a chat message. */
    boolean isChat() {
        return message != null;
    }

    /**
     * Returns the tokens to continue, at least one.
     *
     * @throws UsageException if there is nothing to continue, an id is not the model's, or a
     *     message is given to a model without a chat template
     */
    int[] tokens(HostedModel runtime) {
        if (ids != null) {
            int[] given = TokenIds.parse(ids);
            TokenIds.requireBelow(given, runtime.vocabularySize());
            return given;
        }
        return message == null ? encoded(runtime) : rendered(runtime);
    }

    /**
     * Returns the model's own template.
     *
     * @throws UsageException if it has none
     */
    static ChatRenderer renderer(HostedModel runtime) {
        return ChatTemplateLoader.open(
                        Optional.empty(), runtime.file(), runtime.tokenizer(), text -> {})
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "--chat: the model has no chat template; use --prompt"));
    }

    private int[] rendered(HostedModel runtime) {
        ChatRenderer chat = renderer(runtime);
        List<Map<String, String>> messages = List.of(Map.of("role", "user", "content", message));
        return chat.render(Map.of("messages", messages)).tokens();
    }

    private int[] encoded(HostedModel runtime) {
        int[] encoded = runtime.encode(text);
        if (encoded.length == 0) {
            throw new UsageException("--prompt: expected a text, found none");
        }
        return encoded;
    }
}
