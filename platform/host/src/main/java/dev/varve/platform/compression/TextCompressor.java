package dev.varve.platform.compression;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.selection.CharRange;
import dev.varve.platform.compression.selection.ChunkSelector;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.compression.selection.ProtectedSpans;
import dev.varve.platform.compression.selection.ScoredText;
import dev.varve.platform.compression.selection.Selection;
import dev.varve.platform.compression.selection.SelectionSettings;
import dev.varve.platform.compression.selection.TokenAlignedText;
import dev.varve.platform.compression.selection.TokenRange;
import dev.varve.platform.compression.selection.WordBoundaryAdjustment;
import dev.varve.platform.shard.scoring.TailQueries;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Scores texts with a drafter and selects the kept tokens. Thread-safe. */
public final class TextCompressor {
    private static final double MILLI = 1e6;

    /** Minimum for a short text, so that room is left for the question's words. */
    private static final int LEAST_CHUNKS = 4;

    private final PrefillDrafter drafter;
    private final ChunkSelector selection;
    private final WordBoundaryAdjustment repair = WordBoundaryAdjustment.USUAL;

    /**
     * A part of a text that may be compressed.
     *
     * @param range its place in the text
     * @param fixedEnd how many tokens at its end are always kept
     */
    public record CompressibleRange(CharRange range, int fixedEnd) {}

    /** Creates a compressor with the given settings. */
    public TextCompressor(PrefillDrafter drafter, SelectionSettings settings) {
        this.drafter = drafter;
        selection = new ChunkSelector(settings);
    }

    /** Returns the drafter's tokens of a text. */
    public int[] encode(String text) {
        return drafter.tokenizer().encode(text, true);
    }

    /**
     * Compresses a text.
     *
     * @param bodies parts that may be compressed, ascending; the rest stays as it is
     * @param keep part of their tokens to keep
     * @param cancelled whether the caller cancelled
     * @throws VarveException if the drafter cannot read the text, or its tokens do not decode to
     *     the text
     */
    public CompressedText compress(
            String text,
            List<CompressibleRange> bodies,
            KeepRatio keep,
            BooleanSupplier cancelled) {
        long begin = System.nanoTime();
        Tokenizer tokenizer = drafter.tokenizer();
        int[] ids = encode(text);
        TokenAlignedText pieces =
                TokenAlignedText.of(ids, id -> tokenizer.piece(id, true), tokenizer::isSpecial);
        requireSameText(text, ids, pieces);
        ProtectedSpans spans = spans(text, pieces, bodies);
        long tokenized = System.nanoTime();
        boolean scores = ids.length >= TailQueries.LEAST_TOKENS && spans.tokens() < ids.length;
        float[] values = scores ? drafter.score(ids, cancelled) : new float[ids.length];
        long scored = System.nanoTime();
        Selection chosen =
                selection.select(
                        new ScoredText(ids, values, spans), keep, mostChunks(ids, spans, keep));
        Selection repaired = repair.repair(chosen, pieces);
        long selected = System.nanoTime();
        return new CompressedText(
                text,
                pieces,
                repaired,
                new CompressionTimes(
                        (tokenized - begin) / MILLI,
                        (scored - tokenized) / MILLI,
                        (selected - scored) / MILLI));
    }

    /** Returns the budget: anchor chunks may take as much again as was requested, and no more. */
    private static int mostChunks(int[] ids, ProtectedSpans spans, KeepRatio keep) {
        int chunks = Math.ceilDiv(ids.length - spans.tokens(), ChunkSelector.CHUNK_TOKENS);
        return Math.max(LEAST_CHUNKS, 2 * keep.of(chunks));
    }

    private static void requireSameText(String text, int[] ids, TokenAlignedText pieces) {
        boolean same =
                ids.length > 0
                        && pieces.charsBefore(ids.length) == text.length()
                        && pieces.text(new TokenRange(0, ids.length)).equals(text);
        if (!same) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    "drafter: the tokenizer does not reproduce the text from its tokens");
        }
    }

    /** Returns everything except the bodies, and the ends of the bodies. */
    private static ProtectedSpans spans(
            String text, TokenAlignedText pieces, List<CompressibleRange> bodies) {
        List<CharRange> between = new ArrayList<>();
        List<TokenRange> ends = new ArrayList<>();
        int at = 0;
        for (CompressibleRange body : bodies) {
            if (body.range().begin() > at) {
                between.add(new CharRange(at, body.range().begin()));
            }
            at = body.range().end();
            if (body.fixedEnd() > 0) {
                TokenRange tokens = pieces.tokensOf(body.range());
                int first = Math.max(tokens.begin(), tokens.end() - body.fixedEnd());
                ends.add(new TokenRange(first, tokens.end()));
            }
        }
        if (at < text.length()) {
            between.add(new CharRange(at, text.length()));
        }
        return pieces.protect(between).and(new ProtectedSpans(ends));
    }
}
