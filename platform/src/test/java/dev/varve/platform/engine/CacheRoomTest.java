package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.SlotCopy;
import dev.varve.platform.shard.SlotSpan;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

class CacheRoomTest {
    private static final int BLOCK = SlotSpan.BLOCK;
    private static final CacheScope ALICE = new CacheScope("alice");

    private final CacheRoom room = room(8, true);

    private static CacheRoom room(int blocks, boolean forgets) {
        EngineOptions options = HashingModel.sizes(blocks * BLOCK, 4, blocks * BLOCK);
        return new CacheRoom(options, forgets);
    }

    /** Distinct prompts by their first token. */
    private static int[] prompt(int first, int length) {
        return IntStream.range(first, first + length).toArray();
    }

    private static CacheRequest request(int... tokens) {
        return request(CacheScope.common(), new CutList(), tokens);
    }

    private static CacheRequest request(CacheScope scope, CutList replay, int... tokens) {
        return new CacheRequest(new TokenList(tokens), replay, scope, OutputRows.BEST);
    }

    private static int[] longer(int[] tokens, int more) {
        int[] result = Arrays.copyOf(tokens, tokens.length + more);
        Arrays.fill(result, tokens.length, result.length, 999);
        return result;
    }

    /** Computes the rest of a sequence, with a checkpoint where one is wanted. */
    private static SequenceState compute(CacheRoom room, CacheRequest request, int... ends) {
        SequenceState state = room.begin(request, 0).orElseThrow();
        for (int end : ends) {
            int row = room.nextRow(state);
            state.extend(end, Phase.PREFILL);
            room.enterRow(state, row);
        }
        room.takeCopies();
        return state;
    }

    private static SequenceState resident(CacheRoom room, CacheRequest request, int... ends) {
        SequenceState state = compute(room, request, ends);
        room.keep(state);
        return state;
    }

    private static void checkpoint(CacheRoom room, SequenceState state, int end) {
        int row = room.takeCheckpointRow();
        state.extend(end, Phase.PREFILL);
        room.enterRow(state, row);
        state.checkpointRow = row;
        state.checkpoint = end;
    }

    @Test
    void nothingGivesWayForARequestThatIsNotLetIn() {
        resident(room, request(prompt(0, BLOCK)), BLOCK);
        resident(room, request(prompt(10_000, BLOCK)), BLOCK);
        SequenceState running = compute(room, request(prompt(20_000, 2 * BLOCK)), 2 * BLOCK);
        int kept = room.residentSlots();

        Optional<SequenceState> refused = room.begin(request(prompt(30_000, 5 * BLOCK)), BLOCK);

        assertTrue(refused.isEmpty());
        assertEquals(kept, room.residentSlots());
        assertTrue(room.ensure(running, 2 * BLOCK + 1));
        assertEquals(
                BLOCK, room.begin(request(longer(prompt(0, BLOCK), 9)), 0).orElseThrow().computed);
    }

    @Test
    void nothingGivesWayForASequenceThatCannotGrow() {
        SequenceState first = compute(room, request(prompt(0, 3 * BLOCK)), 3 * BLOCK);
        SequenceState second = compute(room, request(prompt(10_000, 2 * BLOCK)), 2 * BLOCK);
        resident(room, request(prompt(20_000, 5)), 5);

        assertEquals(false, room.ensure(first, 6 * BLOCK));

        assertEquals(BLOCK, room.residentSlots());
        assertEquals(2 * BLOCK, second.computed);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aResidentStaysAsItIsWhenAnotherRequestBranchesOffIt(boolean forgets) {
        CacheRoom own = room(8, forgets);
        int[] prompt = prompt(0, 400);
        SequenceState state = compute(own, request(prompt), 100);
        checkpoint(own, state, 300);
        int row = own.nextRow(state);
        state.extend(400, Phase.PREFILL);
        own.enterRow(state, row);
        own.keep(state);

        SequenceState branch = own.begin(request(longer(prompt(0, 310), 60)), 0).orElseThrow();

        assertEquals(300, branch.computed);
        assertEquals(400, state.computed);
        assertEquals(
                List.of(new SlotCopy(state.span.begin(), branch.span.begin(), 300)),
                own.takeCopies());
        assertNotEquals(own.nextRow(branch), forgets ? state.checkpointRow : state.row);
        assertEquals(400, own.begin(request(longer(prompt, 5)), 0).orElseThrow().computed);
    }

    @Test
    void aConversationThatGoesOnTakesItsResidentOverWithoutACopy() {
        int[] prompt = prompt(0, 300);
        SequenceState before = resident(room, request(prompt), 300);
        SlotSpan span = before.span;

        SequenceState after = room.begin(request(longer(prompt, 10)), 0).orElseThrow();

        assertEquals(300, after.computed);
        assertEquals(span, after.span);
        assertEquals(List.of(), room.takeCopies());
        assertEquals(0, room.residentSlots());
    }

    @Test
    void aResidentIsCutBackWhereThereIsNoRoomForACopy() {
        CacheRoom small = room(3, false);
        int[] prompt = prompt(0, 500);
        resident(small, request(prompt), 200, 500);

        SequenceState state = small.begin(request(longer(prompt(0, 250), 50)), 0).orElseThrow();

        assertEquals(200, state.computed);
        assertEquals(0, small.residentSlots());
    }

    @Test
    void residentsOfOtherScopesAreNotThere() {
        int[] prompt = prompt(0, 300);
        resident(room, request(ALICE, new CutList(), prompt), 300);

        int common = room.begin(request(longer(prompt, 5)), 0).orElseThrow().computed;
        int alices =
                room.begin(request(ALICE, new CutList(), longer(prompt, 5)), 0)
                        .orElseThrow()
                        .computed;

        assertEquals(0, common);
        assertEquals(300, alices);
    }

    /** Its tokens were computed 100 and 300 at a time; 400 at once give other bits. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReplayTakesOnlyWhatWasCutLikeIt(boolean forgets) {
        CacheRoom differs = room(8, forgets);
        CacheRoom agrees = room(8, forgets);
        int[] prompt = prompt(0, 500);
        CutList replay = new CutList();
        replay.add(100, Phase.PREFILL);
        replay.add(400, Phase.PREFILL);
        CacheRequest again = request(CacheScope.common(), replay, prompt);
        resident(differs, request(prompt(0, 450)), 400);
        resident(agrees, request(prompt(0, 450)), 100, 400);

        SequenceState other = differs.begin(again, 0).orElseThrow();
        SequenceState same = agrees.begin(again, 0).orElseThrow();

        assertEquals(0, other.computed);
        assertEquals(400, same.computed);
    }

    @Test
    void forksShareTheRowOfTheirStateUntilTheyWriteOneOfTheirOwn() {
        int[] prompt = prompt(0, 100);
        SequenceState leader = compute(room, request(prompt), 100);
        int shared = leader.row;
        room.keepCopy(leader, new TokenOutput(new float[0], 0, 7, OutputRows.BEST));

        SequenceState fork = room.begin(request(prompt), 0).orElseThrow();

        assertEquals(100, fork.computed);
        assertEquals(7, fork.output.orElseThrow().best());
        assertEquals(shared, fork.row);
        int own = room.nextRow(leader);
        assertNotEquals(shared, own);
        room.enterRow(leader, own);
        room.drop(leader);
        assertNotEquals(shared, room.nextRow(fork), "the kept copy holds the row as well");
    }

    /** Its logits are those behind the last token of the resident, not behind the cut. */
    @Test
    void whatIsCutBackHasNoOutput() {
        CacheRoom own = room(12, false);
        SequenceState leader = compute(own, request(prompt(0, 700)), 512, 700);
        own.keepCopy(leader, new TokenOutput(new float[0], 0, 7, OutputRows.BEST));

        SequenceState cut = own.begin(request(longer(prompt(0, 600), 9)), 0).orElseThrow();
        own.keep(cut);
        SequenceState same = own.begin(request(prompt(0, 512)), 0).orElseThrow();

        assertEquals(512, cut.computed);
        assertEquals(Optional.empty(), cut.output);
        assertTrue(same.computed < 512, "there is a token left to compute");
    }

    @Test
    void residentsGiveWayForACopyThatOthersWaitFor() {
        SequenceState leader = compute(room, request(prompt(0, 3 * BLOCK - 1)), 3 * BLOCK - 1);
        for (int other = 0; other < 4; other++) {
            resident(room, request(prompt(10_000 * (other + 1), 10)), 10);
        }

        room.keepCopy(leader, new TokenOutput(new float[0], 0, 7, OutputRows.BEST));

        assertEquals(5 * BLOCK, room.residentSlots(), "the copy, and two that need not go");
    }

    /** A copy whose state would be evicted for the row of its fork is of no use. */
    @Test
    void nothingIsCopiedWhereNoForkFindsARow() {
        EngineOptions one = HashingModel.sizes(4 * BLOCK, 1, 16 * BLOCK);
        CacheRoom narrow = new CacheRoom(one, true);
        SequenceState leader = compute(narrow, request(prompt(0, 100)), 60);
        checkpoint(narrow, leader, 80);
        int row = narrow.nextRow(leader);
        leader.extend(100, Phase.PREFILL);
        narrow.enterRow(leader, row);

        narrow.keepCopy(leader, new TokenOutput(new float[0], 0, 7, OutputRows.BEST));

        assertEquals(0, narrow.residentSlots());
        assertEquals(List.of(), narrow.takeCopies());
    }

    @Test
    void everyRowComesBack() {
        int[] prompt = prompt(0, 100);
        for (int round = 0; round < 3; round++) {
            SequenceState leader = compute(room, request(prompt), 60);
            checkpoint(room, leader, 80);
            int row = room.nextRow(leader);
            leader.extend(100, Phase.PREFILL);
            room.enterRow(leader, row);
            room.keepCopy(leader, new TokenOutput(new float[0], 0, 1, OutputRows.BEST));
            SequenceState fork = room.begin(request(prompt), 0).orElseThrow();
            room.enterRow(fork, room.nextRow(fork));
            room.drop(fork);
            room.keep(leader);
            for (int other = 0; other < 8; other++) {
                // Each takes a row at least, so that all residents give way.
                resident(room, request(prompt(10_000 * (other + 1), 10)), 10);
            }
        }
        assertThrows(
                IllegalStateException.class,
                () -> {
                    while (true) {
                        room.takeCheckpointRow();
                    }
                });
        assertEquals(0, room.residentSlots());
    }
}
