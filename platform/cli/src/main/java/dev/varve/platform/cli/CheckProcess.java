package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.platform.check.CheckGroup;
import dev.varve.platform.check.CheckListener;
import dev.varve.platform.check.CheckResult;
import dev.varve.platform.check.CheckSteps;
import dev.varve.platform.check.Verdict;

import tools.jackson.databind.node.ObjectNode;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Runs the checks of a device in a child process. If it dies in a step of a check, that step has
 * failed, and another child runs the check without it. If it dies elsewhere, the check has failed,
 * and another child continues with the next one.
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

    /** Lines of the child's errors that may describe why it ended. */
    private static final int KEPT_LINES = 60;

    /** Most steps of a device that are left out, each after it ended a child. */
    private static final int MOST_AVOIDED = 16;

    /** Option of the child that names a step to leave out. */
    static final String AVOID = "--avoid-step";

    /** Receives the results as they come. */
    @FunctionalInterface
    interface Sink {
        void accept(CheckResult result);
    }

    /** A check that has begun. */
    private record Begun(int index, CheckGroup group, String name) {}

    private final String device;
    private final List<String> command;
    private final Sink sink;

    /** Number of the next check. */
    private int next;

    private Optional<Begun> running = Optional.empty();
    private Optional<String> step = Optional.empty();
    private final Set<String> avoided = new LinkedHashSet<>();
    private boolean complete;

    /**
     * @param command launches the child; the number of its first check follows, and {@value AVOID}
     *     before each step to leave out
     */
    CheckProcess(String device, List<String> command, Sink sink) {
        this.device = device;
        this.command = List.copyOf(command);
        this.sink = sink;
    }

    /** Runs all checks. */
    void run() throws InterruptedException {
        while (!complete) {
            int before = next;
            String ending = runChild();
            if (!complete) {
                lost(ending, before);
            }
        }
    }

    /** Reports the step or check during which the child ended; gives up if it began none. */
    private void lost(String ending, int before) {
        long begin = System.nanoTime();
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
                    begin);
        } else if (next == before) {
            complete = true;
            report(CheckGroup.DEVICE, "checks from number " + next, ending, begin);
        }
    }

    private void report(CheckGroup group, String name, String ending, long begin) {
        double seconds = (System.nanoTime() - begin) / 1e9;
        sink.accept(new CheckResult(device, group, name, Verdict.failed("", ending), seconds));
    }

    /** Runs one child and returns how it ended. */
    private String runChild() throws InterruptedException {
        List<String> line = new ArrayList<>(command);
        line.add(Integer.toString(next));
        avoided.forEach(text -> line.addAll(List.of(AVOID, text)));
        Process process = start(line);
        Deque<String> errors = new ArrayDeque<>();
        Thread drain = Thread.ofVirtual().start(() -> drain(process, errors));
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String each = lines.readLine(); each != null; each = lines.readLine()) {
                accept(each);
            }
            int status = process.waitFor();
            drain.join();
            return describe(status, errors);
        } catch (IOException e) {
            return "its output cannot be read: " + FileErrors.reason(e);
        } finally {
            Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                    .forEach(ProcessHandle::destroyForcibly);
        }
    }

    private static Process start(List<String> line) {
        try {
            return new ProcessBuilder(line).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
        ObjectNode message = CliJson.parseObject(line, "the output of a check");
        if (message.has(BEGIN)) {
            running =
                    Optional.of(
                            new Begun(
                                    message.get(BEGIN).intValue(),
                                    CheckJson.group(message.get("group").stringValue()),
                                    message.get("check").stringValue()));
        } else if (message.has(STEP)) {
            step = Optional.of(message.get(STEP).stringValue()).filter(text -> !text.isEmpty());
        } else if (message.has(RESULT)) {
            step = Optional.empty();
            running.ifPresent(begun -> next = begun.index() + 1);
            running = Optional.empty();
            sink.accept(CheckJson.parse(message));
        } else if (message.has(END)) {
            complete = true;
        }
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
