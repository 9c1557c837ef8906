package dev.varve.platform.compression.pages;

import dev.varve.platform.shard.PagePoolSizing;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;

/** Maps a model's tokens to a drafter's tokens. */
sealed interface TokenMapping {
    /** Returns the tokens of a sequence as the drafter reads them. */
    DrafterInput of(int[] tokens);

    /**
     * Returns the mapping between two vocabularies: id by id if they are equal, else through the
     * text.
     */
    static TokenMapping between(Tokenizer model, Tokenizer drafter) {
        return areSame(model, drafter)
                ? new SameIds(model.vocabularySize())
                : new ThroughText(model, drafter);
    }

    private static boolean areSame(Tokenizer model, Tokenizer drafter) {
        if (model.vocabularySize() != drafter.vocabularySize()) {
            return false;
        }
        for (int id = 0; id < model.vocabularySize(); id++) {
            if (model.isSpecial(id) != drafter.isSpecial(id)
                    || !Arrays.equals(model.piece(id, true), drafter.piece(id, true))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Mapping between equal vocabularies. Drops ids without a token, for which a model may have
     * logits.
     *
     * @param vocabulary number of tokens
     */
    record SameIds(int vocabulary) implements TokenMapping {
        @Override
        public DrafterInput of(int[] tokens) {
            int[] ids = new int[tokens.length];
            int[] pages = new int[tokens.length];
            int count = 0;
            for (int position = 0; position < tokens.length; position++) {
                if (tokens[position] < vocabulary) {
                    ids[count] = tokens[position];
                    pages[count++] = PagePoolSizing.pageOf(position);
                }
            }
            return new DrafterInput(
                    Arrays.copyOf(ids, count),
                    Arrays.copyOf(pages, count),
                    PagePoolSizing.pages(tokens.length));
        }
    }

    /**
     * Mapping through text: the drafter reads the text of the model's tokens, with control tokens
     * spelled out. A drafter token belongs to the page in which its middle lies.
     */
    record ThroughText(Tokenizer model, Tokenizer drafter) implements TokenMapping {
        private static final byte[] NOTHING = new byte[0];

        @Override
        public DrafterInput of(int[] tokens) {
            TokenText text = TokenText.of(tokens, this::piece);
            int[] ids = drafter.encode(text.text(), true);
            long[] ends = ends(ids);
            return new DrafterInput(
                    ids, pages(text, ends, tokens.length), PagePoolSizing.pages(tokens.length));
        }

        private byte[] piece(int id) {
            return id < model.vocabularySize() ? model.piece(id, true) : NOTHING;
        }

        /** Returns the byte position of the end of each drafter token. */
        private long[] ends(int[] ids) {
            long[] ends = new long[ids.length];
            long end = 0;
            for (int token = 0; token < ids.length; token++) {
                end += drafter.piece(ids[token], true).length;
                ends[token] = end;
            }
            return ends;
        }

        private static int[] pages(TokenText text, long[] ends, int tokens) {
            int[] pages = new int[ends.length];
            int count = PagePoolSizing.pages(tokens);
            // The drafter's text may be longer or shorter, such as by a leading space.
            double scale = ends.length == 0 ? 1 : (double) text.bytes() / ends[ends.length - 1];
            int page = 0;
            long begin = 0;
            for (int token = 0; token < ends.length; token++) {
                double middle = (begin + ends[token]) / 2.0 * scale;
                while (page < count && middle >= pageEnd(text, page, tokens)) {
                    page++;
                }
                pages[token] = page;
                begin = ends[token];
            }
            return pages;
        }

        private static int pageEnd(TokenText text, int page, int tokens) {
            return text.bytesBefore(Math.min(tokens, (page + 1) * PagePoolSizing.PAGE));
        }
    }
}
