package dev.varve.platform.http.conversation;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.vision.EncodedImage;
import dev.varve.platform.vision.ImageGrid;
import dev.varve.platform.vision.InvalidImageException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** The images of a conversation, and its prompt with them. */
final class ImagePrompts {
    private final ServedModel.ImageInput input;
    private final List<ImageSource> sources;

    /**
     * @param served a model with image input
     * @param transcript a conversation with images
     */
    ImagePrompts(ServedModel served, Transcript transcript) {
        input = served.images().orElseThrow();
        sources = transcript.images();
    }

    /**
     * Returns the prompt with unknown tokens of images, whose number their headers give.
     *
     * @param text the prompt with placeholders
     * @throws ApiException a 400 that names the image if it cannot be used, or if the template has
     *     no places for all of them
     */
    ChatPrompt measured(ChatPrompt text) {
        int places = input.placeholders().count(text);
        if (places != sources.size()) {
            throw ApiException.invalid(
                    sources.getFirst().where(),
                    "the chat template of this model has places for "
                            + places
                            + " of the "
                            + sources.size()
                            + " images");
        }
        List<ImageGrid> grids = new ArrayList<>();
        for (ImageSource source : sources) {
            grids.add(read(source, input.encoder()::measure));
        }
        return input.placeholders().measured(text, grids);
    }

    /**
     * Encodes the images and returns the prompt with them.
     *
     * @throws CancellationException if the client disconnected
     */
    ChatPrompt encoded(ChatPrompt text, BooleanSupplier disconnected) {
        List<EncodedImage> images = new ArrayList<>();
        for (ImageSource source : sources) {
            if (disconnected.getAsBoolean()) {
                throw new CancellationException("the client disconnected");
            }
            images.add(read(source, file -> input.encoder().encode(file, disconnected)));
        }
        return input.placeholders().expanded(text, images);
    }

    private static <T> T read(ImageSource source, Function<byte[], T> reader) {
        try {
            return reader.apply(source.file());
        } catch (InvalidImageException e) {
            throw ApiException.invalid(source.where(), source.where() + ": " + e.getMessage());
        }
    }
}
