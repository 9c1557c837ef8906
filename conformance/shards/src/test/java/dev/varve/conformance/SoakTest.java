package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.testkit.Await;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/**
 * Many short requests with shared beginnings, some of them cancelled, over a local shard and one in
 * another process that dies in between: every answer is the one that the request gets alone, and
 * nothing is left over.
 */
@Timeout(1200)
class SoakTest {
    private static final int SOAK = Integer.getInteger("varve.test.soak", 1);
    private static final int REQUESTS = SOAK > 1 ? 1000 * SOAK : 200;
    private static final int PARALLEL = 4;
    private static final int IN_FLIGHT = 8;
    private static final int ANSWER = 12;

    /** q8_0 rows do not depend on what else is computed with them. */
    private static final ModelSettings SETTINGS = Cpu.settings(256, PARALLEL, Cpu.Q8_0);

    @TempDir Path models;
    @TempDir Path installation;

    private record Asked(Answer answer, int prompt, int count, boolean cancelled) {}

    @Test
    @Tag("nightly")
    void hundredsOfRequestsCompleteWithoutLeaks() throws Exception {
        long seed = 4711;
        SplittableRandom random = new SplittableRandom(seed);
        ShardProgram program = ShardProgram.install(models, installation);
        FragileLink link = new FragileLink(program.child("soak"));
        RandomModel spec = Family.QWEN35.odd(Family.QWEN35.quantisableSeed(), TensorType.Q4_0);
        int[][] prompts = prompts(spec, random);
        int[][] alone = new int[prompts.length][];
        long process;
        int cancelled = 0;
        try (FragileModel model = FragileModel.load(spec, models, SETTINGS, link)) {
            process = link.pid();
            Map<Integer, Integer> wanted = new HashMap<>();
            Deque<Asked> running = new ArrayDeque<>();
            int killAt = REQUESTS / 3 + random.nextInt(REQUESTS / 3);
            for (int i = 0; i < prompts.length; i++) {
                alone[i] = model.undisturbed(ANSWER, SamplingOptions.greedy(), prompts[i])[0];
            }

            for (int i = 0; i < REQUESTS; i++) {
                while (running.size() >= IN_FLIGHT) {
                    cancelled += check(running.removeFirst(), alone) ? 0 : 1;
                }
                int prompt = random.nextInt(prompts.length);
                int count = 1 + random.nextInt(ANSWER);
                Answer answer = Answer.of(prompts[prompt], count);
                boolean cancel = random.nextInt(5) == 0;
                if (cancel && random.nextBoolean()) {
                    answer.atToken(1 + random.nextInt(count), answer::cancel);
                }
                if (i == killAt) {
                    answer.atToken(1, link::kill);
                }
                answer.submit(model.engine());
                if (cancel) {
                    answer.cancel();
                }
                running.addLast(new Asked(answer, prompt, count, cancel));
                wanted.merge(prompt, 1, Integer::sum);
            }
            for (Asked asked : running) {
                cancelled += check(asked, alone) ? 0 : 1;
            }

            assertEquals(prompts.length, wanted.size(), "all prompts were asked");
            assertTrue(cancelled > 0, "none was cancelled in time, seed " + seed);
            assertTrue(model.engine().drain(Duration.ofSeconds(30)));
            EngineStatus status = model.engine().status();
            assertEquals(0, status.slots().running(), "slots of requests that have ended");
            assertEquals(0, status.load().running() + status.load().waiting());
            assertEquals(1, model.health().restarts());
        }
        assertTrue(ProcessHandle.of(process).isEmpty(), "the first process is still there");
        assertEquals(List.of(), threadsLeft());
        try (Stream<Path> left = Files.list(program.workFolder())) {
            assertEquals(
                    List.of("plugins"), left.map(each -> each.getFileName().toString()).toList());
        }
        assertEquals(
                0,
                ProcessHandle.current().children().filter(ProcessHandle::isAlive).count(),
                "child processes");
    }

    /** Returns whether the request ran to its end. */
    private static boolean check(Asked asked, int[][] alone) throws Exception {
        String what = "prompt " + asked.prompt() + ", " + asked.count() + " tokens";
        try {
            assertArrayEquals(
                    Arrays.copyOf(alone[asked.prompt()], asked.count()),
                    asked.answer().tokens(),
                    what);
            return true;
        } catch (ExecutionException e) {
            assertTrue(asked.cancelled(), () -> what + ": " + e.getCause());
            assertEquals(
                    VarveException.Kind.CANCELLED, ((VarveException) e.getCause()).kind(), what);
            return false;
        }
    }

    /** Prompts of which many begin alike. */
    private static int[][] prompts(RandomModel spec, SplittableRandom random) {
        int[][] prompts = new int[24][];
        for (int i = 0; i < prompts.length; i++) {
            int[] own = spec.tokens(20 + random.nextInt(80), 1000 + i);
            int shared = i == 0 ? 0 : random.nextInt(60);
            int[] before = shared == 0 ? own : prompts[random.nextInt(i)];
            shared = Math.min(shared, before.length);
            prompts[i] = Arrays.copyOf(before, shared + own.length);
            System.arraycopy(own, 0, prompts[i], shared, own.length);
        }
        return prompts;
    }

    /** Threads of engines, shards and connections; the clock of all connections stays. */
    private static List<String> ownThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("varve-") && !name.equals("varve-wire-clock"))
                .toList();
    }

    /** A thread may end a moment after what it did. */
    private static List<String> threadsLeft() {
        return Await.value("no threads", SoakTest::ownThreads, List::isEmpty);
    }
}
