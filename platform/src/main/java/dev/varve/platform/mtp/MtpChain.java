package dev.varve.platform.mtp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Guesses one token after the other: each is put in behind the last one, with the state that the
 * block itself made there. Several sequences take each step together.
 */
final class MtpChain {
    private final MtpModel model;
    private final List<Link> links;

    /** A sequence on its way. */
    private static final class Link {
        private final int region;
        private final int[] guesses;
        private int position;
        private int count;

        Link(MtpModel.Rows rows, int most) {
            region = rows.region();
            guesses = new int[most];
            position = rows.position() + rows.tokens().length;
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
            return new MtpModel.Rows(region, position++, token, state, MtpModel.Origin.BLOCK);
        }
    }

    private MtpChain(MtpModel model, List<MtpModel.Rows> rows, int[] most) {
        this.model = model;
        links = new ArrayList<>();
        for (int i = 0; i < most.length; i++) {
            links.add(new Link(rows.get(i), most[i]));
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
