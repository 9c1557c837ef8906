package dev.varve.platform.chat;

import dev.varve.api.VarveException;
import dev.varve.api.vision.ImageAttention;
import dev.varve.api.vision.ImageMarks;
import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.shard.ImageRows;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.SequenceImages;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.platform.vision.EncodedImage;
import dev.varve.platform.vision.ImageGrid;
import dev.varve.platform.vision.PromptImages;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Puts the tokens of images in place of the placeholders that a chat template writes. Text of
 * clients never becomes a placeholder, since it is tokenised without control tokens.
 */
public final class ImagePlaceholders {
    private static final int NO_TOKEN = -1;

    private final int placeholder;
    private final OptionalInt begin;
    private final OptionalInt end;
    private final ImagePositions positions;
    private final ImageAttention attention;

    /**
     * Finds the marks of images in a vocabulary.
     *
     * @param images describes the places of images in prompts
     * @throws VarveException of kind INVALID_REQUEST if it lacks one
     */
    public ImagePlaceholders(PromptImages images, Tokenizer tokenizer) {
        ImageMarks marks = images.marks();
        placeholder = id(marks.placeholder(), tokenizer);
        begin = id(marks.addedBegin(), tokenizer);
        end = id(marks.addedEnd(), tokenizer);
        positions = images.positions();
        attention = images.attention();
    }

    private static OptionalInt id(Optional<String> mark, Tokenizer tokenizer) {
        return mark.isPresent() ? OptionalInt.of(id(mark.get(), tokenizer)) : OptionalInt.empty();
    }

    private static int id(String mark, Tokenizer tokenizer) {
        return tokenizer
                .tokenId(mark)
                .orElseThrow(
                        () ->
                                new VarveException(
                                        VarveException.Kind.INVALID_REQUEST,
                                        "the model's vocabulary has no token "
                                                + mark
                                                + " for images"));
    }

    /** Number of placeholders in a prompt. */
    public int count(ChatPrompt prompt) {
        return (int) Arrays.stream(prompt.tokens()).filter(id -> id == placeholder).count();
    }

    /**
     * Returns the tokens of a prompt as users know them: with the placeholder for each token of an
     * image, instead of the negative number that identifies its pixels.
     */
    public int[] known(int[] tokens) {
        return Arrays.stream(tokens).map(id -> id < 0 ? placeholder : id).toArray();
    }

    /**
     * Returns the prompt with the placeholder for each token of an image, for counting.
     *
     * @param images as many as placeholders
     */
    public ChatPrompt measured(ChatPrompt prompt, List<ImageGrid> images) {
        Expansion expansion = new Expansion(prompt);
        for (ImageGrid image : images) {
            int[] tokens = new int[image.tokens()];
            Arrays.fill(tokens, placeholder);
            expansion.add(image, tokens);
        }
        return expansion.prompt(SequenceImages.NONE);
    }

    /**
     * Returns the prompt with images.
     *
     * @param images as many as placeholders
     */
    public ChatPrompt expanded(ChatPrompt prompt, List<EncodedImage> images) {
        Expansion expansion = new Expansion(prompt);
        images.forEach(image -> expansion.add(image.size(), image.tokens()));
        return expansion.prompt(
                new SequenceImages(
                        expansion.spans,
                        images.stream().map(EncodedImage::rows).map(ImageRows::all).toList()));
    }

    /** One pass over the tokens of a prompt. */
    private final class Expansion {
        private final ChatPrompt source;
        private final int[] given;
        private final List<ImageSpan> spans = new ArrayList<>();
        private final int[] boundaries;
        private final IntStream.Builder borders = IntStream.builder();
        private final IntStream.Builder tokens = IntStream.builder();
        private int size;
        private int next;
        private int nextBoundary;

        Expansion(ChatPrompt source) {
            this.source = source;
            given = source.tokens();
            boundaries = source.boundaries().clone();
        }

        /** Copies the text before the next placeholder, and puts an image in its place. */
        void add(ImageGrid size, int[] imageTokens) {
            copyUntil(placeholder);
            moveBoundaries();
            next++;
            begin.ifPresent(this::put);
            spans.add(new ImageSpan(this.size, size.columns(), size.rows(), positions, attention));
            for (int token : imageTokens) {
                put(token);
            }
            if (end.isPresent()) {
                put(end.getAsInt());
            } else if (next < given.length && given[next] != placeholder) {
                // The template has written the end mark.
                moveBoundaries();
                put(given[next++]);
            }
            // Other questions about the image begin here.
            borders.add(this.size);
        }

        private void copyUntil(int stop) {
            while (next < given.length && given[next] != stop) {
                moveBoundaries();
                put(given[next++]);
            }
        }

        /** A boundary is a position of a token that others may share up to. */
        private void moveBoundaries() {
            while (nextBoundary < boundaries.length && boundaries[nextBoundary] <= next) {
                boundaries[nextBoundary++] = size;
            }
        }

        private void put(int token) {
            tokens.add(token);
            size++;
        }

        ChatPrompt prompt(SequenceImages images) {
            // No token is -1, so the rest is copied.
            copyUntil(NO_TOKEN);
            moveBoundaries();
            return new ChatPrompt(tokens.build().toArray(), withBorders(), source.text(), images);
        }

        private int[] withBorders() {
            return IntStream.concat(IntStream.of(boundaries), borders.build())
                    .sorted()
                    .distinct()
                    .toArray();
        }
    }
}
