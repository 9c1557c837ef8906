package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.chat.ImagePlaceholders;
import dev.varve.platform.cli.chat.ChatImage;
import dev.varve.platform.cli.chat.ChatMessage;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.platform.vision.EncodedImage;
import dev.varve.platform.vision.ImageGrid;
import dev.varve.platform.vision.InvalidImageException;
import dev.varve.platform.vision.PromptImages;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/** Puts the images of a conversation into its prompt. */
final class LocalChatImages {
    private final PromptImages encoder;
    private final ImagePlaceholders placeholders;

    LocalChatImages(PromptImages encoder, Tokenizer tokenizer) {
        this.encoder = encoder;
        placeholders = new ImagePlaceholders(encoder, tokenizer);
    }

    /**
     * Returns the prompt with the images; without them if it was stopped.
     *
     * @param text the prompt with placeholders
     * @param context tokens of the context
     * @throws VarveException of kind INVALID_REQUEST if an image cannot be used, the template has
     *     no places for all of them, or they exceed the context
     */
    ChatPrompt prompt(
            ChatPrompt text, List<ChatMessage> messages, int context, BooleanSupplier stopped) {
        List<byte[]> files =
                messages.stream()
                        .flatMap(message -> message.images().stream())
                        .map(ChatImage::file)
                        .toList();
        if (files.isEmpty()) {
            return text;
        }
        try {
            requireFits(text, files, context);
            List<EncodedImage> images = new ArrayList<>();
            for (byte[] file : files) {
                images.add(encoder.encode(file, stopped));
            }
            return placeholders.expanded(text, images);
        } catch (InvalidImageException e) {
            throw refused(e.getMessage());
        } catch (CancellationException e) {
            return text;
        }
    }

    /** Returns the tokens of a prompt with the placeholder for each token of an image. */
    int[] known(int[] tokens) {
        return placeholders.known(tokens);
    }

    private void requireFits(ChatPrompt text, List<byte[]> files, int context) {
        int places = placeholders.count(text);
        if (places != files.size()) {
            throw refused(
                    "the chat template has places for "
                            + places
                            + " of "
                            + files.size()
                            + " images");
        }
        List<ImageGrid> grids = files.stream().map(encoder::measure).toList();
        int tokens = placeholders.measured(text, grids).tokens().length;
        if (tokens >= context) {
            throw refused(
                    "the conversation with its images has "
                            + tokens
                            + " tokens, and the context "
                            + context);
        }
    }

    private static VarveException refused(String message) {
        return new VarveException(VarveException.Kind.INVALID_REQUEST, message);
    }
}
