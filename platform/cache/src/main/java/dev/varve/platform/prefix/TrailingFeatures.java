package dev.varve.platform.prefix;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Hidden states of the positions before a given one, as many as exist without a gap. They may be
 * evicted at any time, the earliest first or all together.
 */
public final class TrailingFeatures {
    /** Maximum usable positions: draft models are trained with no more before a token. */
    static final int MOST = 4096;

    /** Pages of consecutive blocks; the last one has the position before the end. */
    private final List<FeaturePage> pages;

    private final int end;

    TrailingFeatures(List<FeaturePage> pages, int end) {
        this.pages = List.copyOf(pages);
        this.end = end;
    }

    /** Position after the last one. */
    public int end() {
        return end;
    }

    /** First position with hidden states at this moment; the end if there is none. */
    public int begin() {
        int begin = end;
        int first = end - (end - 1) % CachedBlock.TOKENS - 1;
        for (FeaturePage page : pages.reversed()) {
            if (page.isFreed()) {
                break;
            }
            // A page may begin after the end if a sequence was cut back to before a gap.
            begin = Math.min(end, first + page.begin());
            if (page.begin() > 0) {
                break;
            }
            first -= CachedBlock.TOKENS;
        }
        return Math.max(begin, end - MOST);
    }

    List<FeaturePage> pages() {
        return pages;
    }

    /** Returns the hidden states of the positions before another one. */
    TrailingFeatures upTo(int position) {
        if (position >= end) {
            return position == end ? this : new TrailingFeatures(List.of(), position);
        }
        int dropped = block(end) - block(position);
        return new TrailingFeatures(
                pages.subList(0, Math.max(0, pages.size() - dropped)), Math.max(0, position));
    }

    private static int block(int end) {
        return Math.floorDiv(end - 1, CachedBlock.TOKENS);
    }

    /**
     * Page of a block, if it has hidden states at the end of the block.
     *
     * @param blockEnd position after the block, or after all positions
     */
    Optional<FeaturePage> page(int blockEnd) {
        int index = pages.size() - 1 - (block(end) - block(blockEnd));
        return blockEnd > end || index < 0 || blockEnd < 1
                ? Optional.empty()
                : Optional.of(pages.get(index)).filter(page -> !page.isFreed());
    }

    /**
     * Copies hidden states, layer by layer, each {@code F32 [hidden, count]}.
     *
     * @return empty if they were evicted
     */
    public Optional<List<float[]>> read(int position, int count) {
        if (position < begin() || position + count > end || count < 1) {
            return Optional.empty();
        }
        FeatureKind kind = pages.getLast().kind();
        List<float[]> layers =
                IntStream.range(0, kind.captures().size())
                        .mapToObj(layer -> new float[count * kind.hidden()])
                        .toList();
        int done = 0;
        while (done < count) {
            int offset = (position + done) % CachedBlock.TOKENS;
            int part = Math.min(count - done, CachedBlock.TOKENS - offset);
            FeaturePage page = page(position + done + 1).orElseThrow();
            for (int layer = 0; layer < layers.size(); layer++) {
                page.read(offset, layer, layers.get(layer), done, part);
            }
            done += part;
        }
        return Optional.of(layers);
    }

    /** Hidden states that the cache holds for a match. */
    static TrailingFeatures of(PrefixMatch found) {
        List<FeaturePage> reversed = new ArrayList<>();
        int end = found.blocks().isEmpty() ? 0 : found.blocks().getLast().end();
        Optional<FeaturePage> next = Optional.empty();
        if (found.position() > end) {
            next = found.checkpoint().flatMap(Checkpoint::features);
            if (next.isEmpty()) {
                return new TrailingFeatures(List.of(), found.position());
            }
            reversed.add(next.get());
        }
        for (CachedBlock block : found.blocks().reversed()) {
            next = block.features();
            if (next.isEmpty()) {
                break;
            }
            reversed.add(next.get());
        }
        return new TrailingFeatures(reversed.reversed(), found.position());
    }
}
