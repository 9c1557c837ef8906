package dev.varve.bench.http;

import dev.varve.bench.http.stream.ServerFailure;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Repeats a trial on all sides next to each other; the first side of a round is the last of the
 * next.
 *
 * @param count rounds that are counted
 * @param settle pause before each trial: threads of a server go on spinning for a while, on cores
 *     that the other side needs
 */
record Rounds(int count, Duration settle) {
    /** The round before the others, which is not counted. */
    static final int WARM_UP = -1;

    /**
     * Runs all rounds, up to the first that fails.
     *
     * @param sides one trial, or the server's and the peer's
     */
    Section measure(Section.Heading heading, List<Trial> sides) throws InterruptedException {
        Section section = new Section(heading);
        for (int round = WARM_UP; round < count; round++) {
            Sample[] samples = new Sample[sides.size()];
            try {
                for (int i = 0; i < samples.length; i++) {
                    int side = Math.floorMod(round + i, samples.length);
                    Thread.sleep(settle);
                    samples[side] = sides.get(side).run(round);
                }
            } catch (ServerFailure e) {
                section.fail(e.getMessage());
                return section;
            }
            if (round != WARM_UP) {
                section.add(Arrays.asList(samples));
            }
        }
        return section;
    }
}
