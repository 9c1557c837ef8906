package dev.varve.platform.cli;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.cli.chat.ChatImage;
import dev.varve.platform.cli.chat.ChatMessage;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.vision.PromptImages;

import picocli.CommandLine.Option;

import java.nio.file.Path;
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
     * Returns the prompt, with images before a message.
     *
     * @throws UsageException if there is nothing to continue, an id is not the model's, or a
     *     message or an image is given to a model without a chat template or a projector
     */
    GenerationRequest.Prompt prompt(HostedModel runtime, List<Path> images) {
        if (images.isEmpty()) {
            return GenerationRequest.Prompt.of(tokens(runtime));
        }
        PromptImages encoder =
                runtime.images()
                        .orElseThrow(
                                () -> new UsageException("--image: expected --mmproj, found none"));
        ChatMessage asked =
                new ChatMessage(
                        ChatMessage.Role.USER,
                        message,
                        "",
                        images.stream().map(ChatImage::read).toList());
        ChatPrompt text =
                renderer(runtime)
                        .render(Map.of("messages", List.of(LocalChatModel.message(asked))));
        ChatPrompt whole =
                new LocalChatImages(encoder, runtime.tokenizer())
                        .prompt(
                                text,
                                List.of(asked),
                                runtime.engine().status().load().contextTokens(),
                                () -> false);
        return GenerationRequest.Prompt.of(whole.tokens(), whole.boundaries()).with(whole.images());
    }

    /**
     * Returns the tokens to continue, at least one.
     *
     * @throws UsageException if there is nothing to continue, an id is not the model's, or a
     *     message is given to a model without a chat template
     */
    private int[] tokens(HostedModel runtime) {
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
