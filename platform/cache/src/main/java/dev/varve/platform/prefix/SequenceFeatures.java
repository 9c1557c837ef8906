package dev.varve.platform.prefix;

import dev.varve.platform.sequence.SequenceAttachment;
import dev.varve.platform.shard.CapturedFeature;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Hidden states of a running sequence: those of its last positions, without a gap. It writes to its
 * own pages; where it began with pages of another sequence, it continues in a copy.
 */
final class SequenceFeatures implements SequenceAttachment {
    private final FeaturePagePool featurePages;
    private final Set<FeaturePage> own = new HashSet<>();
    private TrailingFeatures known;

    SequenceFeatures(FeaturePagePool featurePages, TrailingFeatures known) {
        this.featurePages = featurePages;
        this.known = known;
    }

    /** Hidden states of its positions before a given one. */
    TrailingFeatures before(int position) {
        return known.upTo(position);
    }

    @Override
    public SequenceAttachment upTo(int position) {
        return new SequenceFeatures(featurePages, before(position));
    }

    /**
     * Appends hidden states of the next positions. They replace recorded states of the same
     * positions, such as those of rejected draft tokens. After a gap the span begins anew.
     */
    void add(int position, List<CapturedFeature> features, int firstColumn, int count) {
        known =
                position > known.end() || position <= known.begin()
                        ? new TrailingFeatures(List.of(), position)
                        : known.upTo(position);
        int done = 0;
        while (done < count) {
            int offset = (position + done) % CachedBlock.TOKENS;
            int part = Math.min(count - done, CachedBlock.TOKENS - offset);
            List<FeaturePage> pages = pagesFor(offset);
            if (featurePages.extend(pages.getLast(), offset + part)) {
                featurePages.write(pages.getLast(), offset, features, firstColumn + done, part);
            } else {
                pages.clear();
            }
            done += part;
            known = new TrailingFeatures(pages, position + done);
        }
        own.retainAll(known.pages());
    }

    /** Returns the usable pages; the last one is writable from the given offset on. */
    private List<FeaturePage> pagesFor(int offset) {
        List<FeaturePage> pages = new ArrayList<>(known.pages());
        if (offset == 0 || pages.isEmpty() || pages.getLast().isFreed()) {
            if (offset > 0) {
                pages.clear();
            }
            pages.add(open(offset));
        } else if (!own.contains(pages.getLast())) {
            FeaturePage copy = copy(pages.removeLast(), offset);
            if (copy.begin() == offset) {
                pages.clear();
            }
            pages.add(copy);
        }
        int most = TrailingFeatures.MOST / CachedBlock.TOKENS + 1;
        return pages.size() > most
                ? new ArrayList<>(pages.subList(pages.size() - most, pages.size()))
                : pages;
    }

    private FeaturePage open(int offset) {
        FeaturePage page = featurePages.open(offset);
        own.add(page);
        return page;
    }

    /**
     * Creates a page with the positions of another one before an offset, or without any if memory
     * is short.
     */
    private FeaturePage copy(FeaturePage from, int offset) {
        FeaturePage copy = open(from.begin());
        from.pin();
        try {
            if (!featurePages.extend(copy, offset)) {
                return open(offset);
            }
        } finally {
            from.unpin();
        }
        FeatureKind kind = featurePages.kind();
        int count = offset - from.begin();
        List<CapturedFeature> layers = new ArrayList<>();
        for (int layer = 0; layer < kind.captures().size(); layer++) {
            float[] values = new float[count * kind.hidden()];
            from.read(from.begin(), layer, values, 0, count);
            layers.add(new CapturedFeature(kind.captures().get(layer), values, count));
        }
        featurePages.write(copy, from.begin(), layers, 0, count);
        return copy;
    }
}
