package dev.varve.platform.mtp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Guesses one token after the other: each is put in behind the last one, or in its place, with the
 * state that the block itself made there. Several sequences take each step together.
 */
final class MtpChain {
    private final MtpModel model;
    private final List<Link> links;

    /** A sequence on its way. */
    private static final class Link {
        private final MtpFile file;
        private final int region;
        private final int[] guesses;

        /** What the last row took in, with the block's own state in the place of the model's. */
        private final float[] column;

        private int position;
        private int count;

        Link(MtpFile file, MtpModel.Rows rows, int most) {
            this.file = file;
            region = rows.region();
            guesses = new int[most];
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

        /** Adds a guess; a chain with one that is none ends. */
        boolean add(int token) {
            if (token >= 0) {
                guesses[count++] = token;
            }
            return token >= 0 && count < guesses.length;
        }

        MtpModel.Rows next(float[] state) {
            int[] token = {guesses[count - 1]};
            System.arraycopy(state, 0, column, column.length - state.length, state.length);
            position += file.staysInPlace() ? 0 : 1;
            return new MtpModel.Rows(region, position, token, column);
        }
    }

    private MtpChain(MtpModel model, List<MtpModel.Rows> rows, int[] most) {
        this.model = model;
        links = new ArrayList<>();
        for (int i = 0; i < most.length; i++) {
            links.add(new Link(model.file(), rows.get(i), most[i]));
        }
    }

    /**
     * Guesses.
     *
     * @param rows of each sequence up to its last token
     * @param most guesses of each sequence, at least 1
     * @return the guesses of each sequence
     */
    static List<int[]> guess(MtpModel model, List<MtpModel.Rows> rows, int[] most) {
        MtpChain chain = new MtpChain(model, rows, most);
        chain.run(rows);
        return chain.links.stream().map(link -> Arrays.copyOf(link.guesses, link.count)).toList();
    }

    private void run(List<MtpModel.Rows> first) {
        List<MtpModel.Rows> rows = first;
        List<Link> going = links;
        while (!rows.isEmpty()) {
            MtpModel.Guess guess = model.guess(rows);
            List<MtpModel.Rows> next = new ArrayList<>();
            List<Link> left = new ArrayList<>();
            for (int i = 0; i < going.size(); i++) {
                Link link = going.get(i);
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
