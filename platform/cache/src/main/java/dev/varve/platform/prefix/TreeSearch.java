package dev.varve.platform.prefix;

import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.shard.SequenceImages;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A search for the deepest position in a tree from which a prompt can resume.
 *
 * @param tokens of the prompt that are compared
 * @param limit last usable position
 * @param replay chunk boundaries with which the tokens were computed before, as far as they were
 * @param anywhere whether rows alone are sufficient, so that a sequence can resume from any
 *     position
 * @param size tokens of the whole prompt
 * @param images of the prompt; it resumes from no position inside one
 */
record TreeSearch(
        int[] tokens,
        int limit,
        ChunkHistory replay,
        boolean anywhere,
        int size,
        SequenceImages images) {
    Optional<PrefixMatch> from(CachedBlock root) {
        List<CachedBlock> path = new ArrayList<>();
        Optional<PrefixMatch> best = Optional.empty();
        Optional<CachedBlock> at = Optional.of(root);
        while (at.filter(CachedBlock::isReady).isPresent()) {
            CachedBlock block = at.get();
            best = checkpoint(best, block, path);
            if (anywhere && replay.end() == 0) {
                best = rows(best, block, path);
            }
            at = next(block, tokens);
            at.ifPresent(path::add);
        }
        return best;
    }

    private static Optional<CachedBlock> next(CachedBlock at, int[] tokens) {
        int end = at.end() + CachedBlock.TOKENS;
        return end > tokens.length
                ? Optional.empty()
                : at.child(Arrays.copyOfRange(tokens, at.end(), end));
    }

    private Optional<PrefixMatch> checkpoint(
            Optional<PrefixMatch> best, CachedBlock at, List<CachedBlock> path) {
        Optional<PrefixMatch> result = best;
        for (Checkpoint checkpoint : at.checkpoints()) {
            if (checkpoint.isReady()
                    && checkpoint.position() <= limit
                    && images.border(checkpoint.position()) == checkpoint.position()
                    && checkpoint.position() > deepest(result)
                    && checkpoint.begins(tokens)
                    && admits(checkpoint)) {
                result =
                        Optional.of(
                                new PrefixMatch(
                                        List.copyOf(path),
                                        Optional.of(checkpoint),
                                        checkpoint.position()));
            }
        }
        return result;
    }

    /** Whether a checkpoint has the chunk boundaries of the replay, as far as those reach. */
    private boolean admits(Checkpoint checkpoint) {
        int replayed = Math.min(checkpoint.position(), replay.end());
        return replayed == 0
                || checkpoint.chunkHistory().agrees(replay, replayed) && checkpoint.isWhole();
    }

    private static int deepest(Optional<PrefixMatch> best) {
        return best.map(PrefixMatch::position).orElse(0);
    }

    /** Matches part of the rows of a block, or of the rows after the last block. */
    private Optional<PrefixMatch> rows(
            Optional<PrefixMatch> best, CachedBlock at, List<CachedBlock> path) {
        Optional<PrefixMatch> result = best;
        int end = Math.min(limit, tokens.length);
        for (CachedBlock child : at.children()) {
            int position = cut(at.end() + common(child.tokens(), tokens, at.end(), end));
            if (child.isReady() && position > at.end() && position > deepest(result)) {
                List<CachedBlock> blocks = new ArrayList<>(path);
                blocks.add(child);
                result = Optional.of(new PrefixMatch(blocks, Optional.empty(), position));
            }
        }
        for (Checkpoint checkpoint : at.checkpoints()) {
            int position = cut(at.end() + common(checkpoint.tail(), tokens, at.end(), end));
            if (checkpoint.isReady() && position > at.end() && position > deepest(result)) {
                result =
                        Optional.of(
                                new PrefixMatch(
                                        List.copyOf(path), Optional.of(checkpoint), position));
            }
        }
        return result;
    }

    private int cut(int position) {
        return images.border(ChunkHistory.cutBefore(images.border(position), size));
    }

    /** Number of leading tokens that a prompt shares with any prompt in the tree. */
    static int commonPrefix(CachedBlock root, int[] tokens) {
        CachedBlock at = root;
        for (Optional<CachedBlock> next = next(at, tokens);
                next.isPresent();
                next = next(at, tokens)) {
            at = next.get();
        }
        int most = 0;
        for (CachedBlock child : at.children()) {
            most = Math.max(most, common(child.tokens(), tokens, at.end(), tokens.length));
        }
        for (Checkpoint checkpoint : at.checkpoints()) {
            most = Math.max(most, common(checkpoint.tail(), tokens, at.end(), tokens.length));
        }
        return at.end() + most;
    }

    /** Number of leading tokens that {@code some} shares with a prompt from a position on. */
    private static int common(int[] some, int[] tokens, int begin, int end) {
        int limit = Math.clamp(end - begin, 0, some.length);
        int mismatch = Arrays.mismatch(some, 0, limit, tokens, begin, begin + limit);
        return mismatch < 0 ? limit : mismatch;
    }
}
