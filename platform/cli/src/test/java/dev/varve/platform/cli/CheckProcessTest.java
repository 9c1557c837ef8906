package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.check.CheckResult;
import dev.varve.platform.check.CheckStatus;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Children are shell scripts that receive the number of their first check. */
class CheckProcessTest {
    private static final String RESULT =
            """
            {"device":"x:0","group":"device","check":"%s","result":"ok","expected":"","found":"","seconds":0}
            """;

    @TempDir Path folder;

    private List<CheckResult> run(String script) throws Exception {
        return run(script, Duration.ofMinutes(5));
    }

    private List<CheckResult> run(String script, Duration silence) throws Exception {
        Path file = folder.resolve("child.sh");
        Files.writeString(file, script);
        List<CheckResult> results = new ArrayList<>();
        new CheckProcess("x:0", List.of("sh", file.toString()), silence, results::add).run();
        return results;
    }

    private static String begin(int index, String name) {
        return "echo '{\"begin\":" + index + ",\"group\":\"device\",\"check\":\"" + name + "\"}'\n";
    }

    private static String result(String name) {
        return "echo '" + RESULT.replace("%s", name).strip() + "'\n";
    }

    @Test
    void crashedChildFailsItsCheckAndAnotherOneContinues() throws Exception {
        List<CheckResult> results =
                run(
                        "if [ $1 = 0 ]; then\n"
                                + begin(0, "one")
                                + result("one")
                                + begin(1, "two")
                                + "echo 'x.c:7: GGML_ASSERT(a == b) failed' >&2; echo end >&2\n"
                                + "exit 134\nfi\n"
                                + begin(2, "three")
                                + result("three")
                                + "echo '{\"end\":true}'\n");

        assertEquals(
                List.of("one", "two", "three"), results.stream().map(CheckResult::name).toList());
        assertEquals(CheckStatus.FAILED, results.get(1).verdict().status());
        assertEquals(
                "the process ended with status 134: x.c:7: GGML_ASSERT(a == b) failed",
                results.get(1).verdict().found());
    }

    @Test
    void childMayLeaveTheRestToAnotherOne() throws Exception {
        List<CheckResult> results =
                run(
                        "if [ $1 = 2 ]; then echo '{\"end\":true}'; exit 0; fi\n"
                                + "echo '{\"begin\":'$1',\"group\":\"device\",\"check\":\"c\"}'\n"
                                + result("c")
                                + "exit 70\n");

        assertEquals(2, results.size());
        assertTrue(results.stream().allMatch(r -> r.verdict().status() == CheckStatus.OK));
    }

    @Test
    void childThatStartsNoCheckEndsTheChecks() throws Exception {
        List<CheckResult> results = run("echo 'no such driver' >&2; exit 1\n");

        assertEquals(1, results.size());
        assertEquals(
                "the process ended with status 1: no such driver",
                results.getFirst().verdict().found());
    }

    @Test
    void aCrashBetweenChecksIsReported() throws Exception {
        List<CheckResult> results =
                run(
                        "if [ $1 = 1 ]; then echo '{\"end\":true}'; exit 0; fi\n"
                                + begin(0, "one")
                                + result("one")
                                + "echo 'double free' >&2; exit 134\n");

        assertEquals(List.of("one", "after one"), results.stream().map(CheckResult::name).toList());
        assertEquals(CheckStatus.FAILED, results.getLast().verdict().status());
        assertEquals(
                "the process ended with status 134: double free",
                results.getLast().verdict().found());
    }

    @Test
    void childThatPrintsNothingIsEnded() throws Exception {
        // It reads the input, which stays open.
        List<CheckResult> results = run("cat\n", Duration.ofMillis(100));

        assertEquals(
                List.of("checks from number 0"), results.stream().map(CheckResult::name).toList());
        assertTrue(
                results.getFirst().verdict().found().startsWith("the process printed nothing for"),
                results::toString);
    }

    @Test
    void filesOfAChildThatCrashedAreDeleted() throws Exception {
        Path list = folder.resolve("folders");

        run(
                "if [ $1 = 1 ]; then echo '{\"end\":true}'; exit 0; fi\n"
                        + "[ $2 = --check-folder ] && echo weights >$3/model && echo $3 >"
                        + list
                        + "\n"
                        + begin(0, "speed")
                        + "exit 134\n");

        assertFalse(Files.exists(Path.of(Files.readString(list).strip())));
    }

    @Test
    void linesOfDriversAreIgnored() throws Exception {
        List<CheckResult> results =
                run(
                        "echo '{ Vulkan: loaded'; echo '{\"layer\":1}'; echo '[1]'\n"
                                + begin(0, "one")
                                + result("one")
                                + "echo '{\"end\":true}'\n");

        assertEquals(List.of("one"), results.stream().map(CheckResult::name).toList());
    }

    @Test
    void aCheckThatFailedInAStepNamesIt() throws Exception {
        List<CheckResult> results =
                run(
                        begin(0, "operators")
                                + step("SILU F32 [8]")
                                + result("operators").replace("\"ok\"", "\"failed\"")
                                + "echo '{\"end\":true}'\n");

        assertEquals(", in SILU F32 [8]", results.getFirst().verdict().found());
    }

    @Test
    void launcherThatCannotBeStartedIsReported() {
        CheckProcess process =
                new CheckProcess(
                        "x:0",
                        List.of(folder.resolve("absent").toString()),
                        Duration.ofMinutes(5),
                        _ -> {});

        VarveException error = assertThrows(VarveException.class, process::run);

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertTrue(error.getMessage().contains("absent: cannot be started"), error.getMessage());
    }

    private static String step(String text) {
        return "echo '{\"step\":\"" + text + "\"}'\n";
    }

    @Test
    void aStepThatEndsTheProcessFailsAloneAndItsCheckRunsWithoutIt() throws Exception {
        List<CheckResult> results =
                run(
                        begin(0, "operators")
                                + "if [ $# = 3 ]; then\n"
                                + step("ADD F32 [8]")
                                + step("")
                                + step("SILU F32 [8]")
                                + "echo 'corrupted size' >&2; exit 134\nfi\n"
                                + "[ \"$4 $5\" = '--avoid-step SILU F32 [8]' ] || exit 3\n"
                                + result("operators")
                                + "echo '{\"end\":true}'\n");

        assertEquals(
                List.of("operators: SILU F32 [8]", "operators"),
                results.stream().map(CheckResult::name).toList());
        assertEquals(CheckStatus.FAILED, results.getFirst().verdict().status());
        assertEquals(
                "the process ended with status 134: corrupted size",
                results.getFirst().verdict().found());
        assertEquals(CheckStatus.OK, results.get(1).verdict().status());
    }

    @Test
    void aProcessThatEndsBetweenStepsFailsTheCheck() throws Exception {
        List<CheckResult> results =
                run(
                        "if [ $1 = 1 ]; then echo '{\"end\":true}'; exit 0; fi\n"
                                + begin(0, "operators")
                                + step("ADD F32 [8]")
                                + step("")
                                + "exit 134\n");

        assertEquals(List.of("operators"), results.stream().map(CheckResult::name).toList());
        assertEquals(CheckStatus.FAILED, results.getFirst().verdict().status());
    }

    @Test
    void aDriverThatCrashesAtEveryStepCostsABoundedNumberOfProcesses() throws Exception {
        List<CheckResult> results =
                run(
                        "if [ $1 = 1 ]; then echo '{\"end\":true}'; exit 0; fi\n"
                                + begin(0, "operators")
                                + "echo '{\"step\":\"step '$#'\"}'\n"
                                + "exit 134\n");

        assertEquals(17, results.size());
        assertTrue(results.stream().allMatch(r -> r.verdict().status() == CheckStatus.FAILED));
    }
}
