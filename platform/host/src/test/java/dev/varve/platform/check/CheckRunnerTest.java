package dev.varve.platform.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

class CheckRunnerTest {
    private static final Duration SHORT = Duration.ofMillis(5);

    private final List<String> begun = new ArrayList<>();
    private final Map<String, Verdict> results = new LinkedHashMap<>();

    private final CheckListener listener =
            new CheckListener() {
                @Override
                public void onBegin(int index, CheckGroup group, String name) {
                    begun.add(index + " " + name);
                }

                @Override
                public void onResult(CheckResult result) {
                    assertEquals("x:0", result.device());
                    results.put(result.name(), result.verdict());
                }
            };

    /** Counts only the time that a test lets pass. */
    private final AtomicLong nanos = new AtomicLong();

    private CheckRunner.Ending run(int from, Check... checks) {
        return run(Await.LIMIT, from, checks);
    }

    private CheckRunner.Ending run(Duration grace, int from, Check... checks) {
        return new CheckRunner("x:0", listener, grace, nanos::get)
                .run(List.of(checks).iterator(), from);
    }

    private static Check ok(CheckGroup group, String name) {
        return new Check(group, name, () -> Verdict.ok("", "fine"));
    }

    @Test
    void failedCheckDoesNotEndTheOthers() {
        CheckRunner.Ending ending =
                run(
                        0,
                        new Check(
                                CheckGroup.DEVICE,
                                "device",
                                () -> {
                                    throw new VarveException(
                                            VarveException.Kind.OUT_OF_MEMORY, "no memory\nleft");
                                }),
                        new Check(
                                CheckGroup.DEVICE,
                                "bug",
                                () -> {
                                    throw new StackOverflowError("deep");
                                }),
                        ok(CheckGroup.DEVICE, "last"));

        assertEquals(CheckRunner.Ending.COMPLETE, ending);
        assertEquals(Verdict.failed("", "no memory left"), results.get("device"));
        assertEquals(Verdict.failed("", "StackOverflowError: deep"), results.get("bug"));
        assertEquals(CheckStatus.OK, results.get("last").status());
    }

    @Test
    void correctResultBeyondTheTimeLimitIsSlow() {
        run(
                0,
                new Check(
                        CheckGroup.DEVICE,
                        "late",
                        Await.LIMIT,
                        () -> {
                            nanos.addAndGet(Await.LIMIT.plusMillis(1).toNanos());
                            return Verdict.ok("", "right");
                        }));

        assertEquals(CheckStatus.SLOW, results.get("late").status());
        assertTrue(results.get("late").found().endsWith("right"));
    }

    @Test
    void interruptibleCheckEndsAtTheTimeLimit() {
        CheckRunner.Ending ending =
                run(
                        0,
                        new Check(
                                CheckGroup.DEVICE,
                                "waits",
                                SHORT,
                                () -> {
                                    new CountDownLatch(1).await();
                                    return Verdict.ok("", "");
                                }),
                        ok(CheckGroup.DEVICE, "next"));

        assertEquals(CheckRunner.Ending.COMPLETE, ending);
        assertEquals(CheckStatus.FAILED, results.get("waits").status());
        assertEquals(CheckStatus.OK, results.get("next").status());
    }

    @Test
    void checkThatHangsOnTheDeviceLeavesTheOthersToAnotherProcess() {
        CountDownLatch end = new CountDownLatch(1);
        CheckRunner.Ending ending =
                run(
                        SHORT,
                        0,
                        new Check(
                                CheckGroup.DEVICE,
                                "stuck",
                                SHORT,
                                () -> {
                                    while (end.getCount() > 0) {
                                        Thread.onSpinWait();
                                    }
                                    return Verdict.ok("", "");
                                }),
                        ok(CheckGroup.DEVICE, "next"));
        end.countDown();

        assertEquals(CheckRunner.Ending.STUCK, ending);
        assertEquals(CheckStatus.FAILED, results.get("stuck").status());
        assertEquals(List.of("0 stuck"), begun);
    }

    @Test
    void checksAreNumberedFromTheFirst() {
        CheckRunner.Ending ending = run(1, ok(CheckGroup.BATCHES, "second"));

        assertEquals(CheckRunner.Ending.COMPLETE, ending);
        assertEquals(List.of("1 second"), begun);
    }

    @Test
    void detailsFollowTheCheckEvenIfItFails() {
        run(
                0,
                new Check(
                        CheckGroup.OPERATORS,
                        "all",
                        Check.USUAL,
                        () -> {
                            throw new IllegalStateException("broken");
                        },
                        () -> Map.of("ADD", Verdict.differs("1", "2"))));

        assertEquals(List.of("all", "ADD"), List.copyOf(results.keySet()));
        assertEquals(CheckStatus.DIFFERS, results.get("ADD").status());
    }
}
