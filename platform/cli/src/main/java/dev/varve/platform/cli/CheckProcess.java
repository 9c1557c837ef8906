package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.check.CheckGroup;
import dev.varve.platform.check.CheckListener;
import dev.varve.platform.check.CheckResult;
import dev.varve.platform.check.CheckStatus;
import dev.varve.platform.check.CheckSteps;
import dev.varve.platform.check.Verdict;

import tools.jackson.databind.node.ObjectNode;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * Runs the checks of a device in a child process. If it dies in a step of a check, that step has
 * failed, and another child runs the check without it. If it dies elsewhere, the check has failed,
 * and another child continues with the next one. A child that prints nothing for too long is ended.
 *
 * <p>The child prints one JSON object per line: {@code begin} with the number, group and name of a
 * check; {@code step} with the text of a step that begins, empty when it has ended; {@code result}
 * with a {@link CheckJson result}; or {@code end} after the last one. Other lines are ignored.
 */
final class CheckProcess {
    private static final String BEGIN = "begin";
    private static final String STEP = "step";
    private static final String RESULT = "result";
    private static final String END = "end";

    /** Exit status of a child that leaves the remaining checks to another one. */
    static final int CONTINUE = 70;

    /** Lines of the child's errors that may describe why it ended. */
    private static final int KEPT_LINES = 60;

    /** Most steps of a device that are left out, each after it ended a child. */
    private static final int MOST_AVOIDED = 16;

    /** Option of the child that names a step to leave out. */
    static final String AVOID = "--avoid-step";

    /** Option of the child that names a folder for its files. */
    static final String FOLDER = "--check-folder";

    /** Longest time to wait for a child to end before this process ends. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    /** Receives the results as they come. */
    @FunctionalInterface
    interface Sink {
        void accept(CheckResult result);
    }

    /**
     * A check that has begun.
     *
     * @param nanos time of its begin, of {@link System#nanoTime}
     */
    private record Begun(int index, CheckGroup group, String name, long nanos) {}

    /**
     * How a child ended.
     *
     * @param continues whether it asked for another child
     */
    private record Ending(boolean continues, String text) {}

    private final String device;
    private final List<String> command;
    private final Duration silence;
    private final Sink sink;

    /** Number of the next check. */
    private int next;

    private Optional<Begun> running = Optional.empty();
    private Optional<Begun> last = Optional.empty();
    private Optional<String> step = Optional.empty();
    private final Set<String> avoided = new LinkedHashSet<>();
    private boolean complete;

    /** Time of the child's last line, of {@link System#nanoTime}. */
    private volatile long heard;

    /**
     * @param command launches the child; the number of its first check follows, {@value FOLDER}
     *     with a folder, and {@value AVOID} before each step to leave out
     * @param silence time without a line after which a child is ended
     */
    CheckProcess(String device, List<String> command, Duration silence, Sink sink) {
        this.device = device;
        this.command = List.copyOf(command);
        this.silence = silence;
        this.sink = sink;
    }

    /** Runs all checks. */
    void run() throws InterruptedException {
        while (!complete) {
            int before = next;
            Ending ending = runChild();
            if (!complete) {
                lost(ending, before);
            }
        }
    }

    /** Reports the step or check during which the child ended; gives up if it began none. */
    private void lost(Ending ending, int before) {
        Optional<Begun> lost = running;
        Optional<String> where = step;
        running = Optional.empty();
        step = Optional.empty();
        if (lost.isPresent()) {
            boolean again =
                    where.isPresent() && avoided.size() < MOST_AVOIDED && avoided.add(where.get());
            next = lost.get().index() + (again ? 0 : 1);
            report(
                    lost.get().group(),
                    lost.get().name() + where.map(text -> ": " + text).orElse(""),
                    ending,
                    (System.nanoTime() - lost.get().nanos()) / 1e9);
        } else if (next == before) {
            complete = true;
            report(CheckGroup.DEVICE, "checks from number " + next, ending, 0);
        } else if (!ending.continues()) {
            last.ifPresent(check -> report(check.group(), "after " + check.name(), ending, 0));
        }
    }

    private void report(CheckGroup group, String name, Ending ending, double seconds) {
        sink.accept(
                new CheckResult(device, group, name, Verdict.failed("", ending.text()), seconds));
    }

    /** Runs one child and returns how it ended. */
    private Ending runChild() throws InterruptedException {
        try (CheckFolder folder = CheckFolder.create()) {
            List<String> line = new ArrayList<>(command);
            line.addAll(List.of(Integer.toString(next), FOLDER, folder.path().toString()));
            avoided.forEach(text -> line.addAll(List.of(AVOID, text)));
            Process process = start(line);
            ShutdownHook hook = ShutdownHook.prepare(() -> end(process), STOP_LIMIT);
            hook.arm();
            try {
                return await(process);
            } finally {
                end(process);
                hook.close();
            }
        }
    }

    private Ending await(Process process) throws InterruptedException {
        heard = System.nanoTime();
        AtomicBoolean silent = new AtomicBoolean();
        Thread watch = Thread.ofVirtual().start(() -> endIfSilent(process, silent));
        Deque<String> errors = new ArrayDeque<>();
        Thread drain = Thread.ofVirtual().start(() -> drain(process, errors));
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String each = lines.readLine(); each != null; each = lines.readLine()) {
                heard = System.nanoTime();
                accept(each);
            }
            int status = process.waitFor();
            watch.join();
            drain.join();
            return silent.get()
                    ? new Ending(false, "the process printed nothing for " + seconds(silence))
                    : new Ending(status == CONTINUE, describe(status, errors));
        } catch (IOException e) {
            return new Ending(false, "its output cannot be read: " + FileErrors.reason(e));
        }
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.0f s", time.toMillis() / 1e3);
    }

    /** Waits for a process, and ends it once it has printed nothing for too long. */
    private void endIfSilent(Process process, AtomicBoolean silent) {
        try {
            long left = silence.toNanos();
            while (!process.waitFor(left, TimeUnit.NANOSECONDS)) {
                left = silence.toNanos() - (System.nanoTime() - heard);
                if (left <= 0) {
                    silent.set(true);
                    end(process);
                    return;
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void end(Process process) {
        Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .forEach(ProcessHandle::destroyForcibly);
    }

    private static Process start(List<String> line) {
        try {
            return new ProcessBuilder(line).start();
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    line.getFirst() + ": cannot be started: " + FileErrors.reason(e),
                    e);
        }
    }

    private static void drain(Process process, Deque<String> errors) {
        try (BufferedReader lines = process.errorReader(StandardCharsets.UTF_8)) {
            for (String each = lines.readLine(); each != null; each = lines.readLine()) {
                errors.addLast(each);
                if (errors.size() > KEPT_LINES) {
                    errors.removeFirst();
                }
            }
        } catch (IOException _) {
            // The child has ended.
        }
    }

    /** Describes an ending with the line that explains it best. */
    private static String describe(int status, Deque<String> errors) {
        Optional<String> assertion =
                errors.stream().filter(each -> each.contains("GGML_ASSERT")).findFirst();
        String line =
                assertion
                        .or(() -> errors.reversed().stream().filter(e -> !e.isBlank()).findFirst())
                        .orElse("");
        return "the process ended with status "
                + status
                + (line.isEmpty() ? "" : ": " + line.strip());
    }

    private void accept(String line) {
        if (!line.startsWith("{")) {
            return;
        }
        ObjectNode message;
        try {
            message = CliJson.parseObject(line, "the output of a check");
        } catch (VarveException _) {
            // A line of a driver.
            return;
        }
        if (message.has(BEGIN)) {
            running =
                    Optional.of(
                            new Begun(
                                    message.get(BEGIN).intValue(),
                                    CheckJson.group(message.get("group").stringValue()),
                                    message.get("check").stringValue(),
                                    System.nanoTime()));
        } else if (message.has(STEP)) {
            step = Optional.of(message.get(STEP).stringValue()).filter(text -> !text.isEmpty());
        } else if (message.has(RESULT)) {
            CheckResult result = CheckJson.parse(message);
            sink.accept(step.map(text -> during(text, result)).orElse(result));
            step = Optional.empty();
            running.ifPresent(begun -> next = begun.index() + 1);
            last = running.or(() -> last);
            running = Optional.empty();
        } else if (message.has(END)) {
            complete = true;
        }
    }

    /** Adds the step in which a check failed, such as one that did not end in time. */
    private static CheckResult during(String step, CheckResult result) {
        Verdict verdict = result.verdict();
        return verdict.status() == CheckStatus.FAILED
                ? new CheckResult(
                        result.device(),
                        result.group(),
                        result.name(),
                        Verdict.failed(verdict.expected(), verdict.found() + ", in " + step),
                        result.seconds())
                : result;
    }

    /** Writes the child's lines. */
    static final class Lines implements CheckListener, CheckSteps {
        private final PrintWriter out;
        private final Set<String> avoided;

        /**
         * @param avoided steps that ended earlier children
         */
        Lines(PrintWriter out, Set<String> avoided) {
            this.out = out;
            this.avoided = Set.copyOf(avoided);
        }

        @Override
        public boolean begin(String step) {
            if (avoided.contains(step)) {
                return false;
            }
            write(CliJson.object().put(STEP, step));
            return true;
        }

        @Override
        public void onBegin(int index, CheckGroup group, String name) {
            write(CliJson.object().put(BEGIN, index).put("group", group.word()).put("check", name));
        }

        @Override
        public void onResult(CheckResult result) {
            ObjectNode message = CliJson.object();
            CheckJson.put(message, result);
            write(message);
        }

        @Override
        public void end() {
            write(CliJson.object().put(STEP, ""));
        }

        /** Reports that all checks have results. */
        void complete() {
            write(CliJson.object().put(END, true));
        }

        private void write(ObjectNode message) {
            out.println(CliJson.write(message));
            out.flush();
        }
    }

    /** Passes on the results of checks in this process. */
    static final class InProcess implements CheckListener {
        private final Sink sink;

        InProcess(Sink sink) {
            this.sink = sink;
        }

        @Override
        public void onBegin(int index, CheckGroup group, String name) {}

        @Override
        public void onResult(CheckResult result) {
            sink.accept(result);
        }
    }
}
