package dev.varve.platform.mtp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Drafts one token after the other: each is appended after the last one, or replaces it, with the
 * state that the block itself computed there. Several sequences share each step.
 */
final class MtpChain {
    private final MtpModel model;
    private final List<SequenceDraft> links;

    /** State of a sequence during the draft. */
    private static final class SequenceDraft {
        private final MtpFile file;
        private final int region;
        private final int[] draftTokens;

        /** Inputs of the last row, with the block's own state instead of the model's. */
        private final float[] column;

        private int position;
        private int count;

        SequenceDraft(MtpFile file, MtpModel.Rows rows, int most) {
            this.file = file;
            region = rows.region();
            draftTokens = new int[most];
            int end = rows.tokens().length;
            position = rows.position() + end - 1;
            column =
                    Arrays.copyOfRange(
                            rows.columns(),
                            (end - 1) * file.columnLength(),
                            end * file.columnLength());
            int made = file.columnLength() - file.width();
            Arrays.fill(column, made - file.width(), made, 0);
        }

        /** Adds a draft token; returns whether the chain continues. An invalid token ends it. */
        boolean add(int token) {
            if (token >= 0) {
                draftTokens[count++] = token;
            }
            return token >= 0 && count < draftTokens.length;
        }

        MtpModel.Rows next(float[] state) {
            int[] token = {draftTokens[count - 1]};
            System.arraycopy(state, 0, column, column.length - state.length, state.length);
            position += file.samePosition() ? 0 : 1;
            return new MtpModel.Rows(region, position, token, column);
        }
    }

    private MtpChain(MtpModel model, List<MtpModel.Rows> rows, int[] most) {
        this.model = model;
        links = new ArrayList<>();
        for (int i = 0; i < most.length; i++) {
            links.add(new SequenceDraft(model.file(), rows.get(i), most[i]));
        }
    }

    /**
     * Drafts tokens.
     *
     * @param rows of each sequence up to its last token
     * @param most maximum draft length of each sequence, at least 1
     * @return the draft tokens of each sequence
     */
    static List<int[]> draft(MtpModel model, List<MtpModel.Rows> rows, int[] most) {
        MtpChain chain = new MtpChain(model, rows, most);
        chain.run(rows);
        return chain.links.stream()
                .map(link -> Arrays.copyOf(link.draftTokens, link.count))
                .toList();
    }

    private void run(List<MtpModel.Rows> first) {
        List<MtpModel.Rows> rows = first;
        List<SequenceDraft> going = links;
        while (!rows.isEmpty()) {
            MtpModel.MtpOutput guess = model.draft(rows);
            List<MtpModel.Rows> next = new ArrayList<>();
            List<SequenceDraft> left = new ArrayList<>();
            for (int i = 0; i < going.size(); i++) {
                SequenceDraft link = going.get(i);
                if (link.add(guess.tokens()[i])) {
                    next.add(link.next(guess.states().get(i)));
                    left.add(link);
                }
            }
            rows = next;
            going = left;
        }
    }
}
