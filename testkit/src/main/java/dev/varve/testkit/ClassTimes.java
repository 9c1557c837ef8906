package dev.varve.testkit;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the duration of each test class to the folder {@code varve.test.times}, a file for each
 * process: lines of class name, milliseconds, and milliseconds of processor time. The build adds
 * them up at its end. JUnit finds this class as a service.
 */
public final class ClassTimes implements TestExecutionListener {
    private final Optional<Path> file =
            Optional.ofNullable(System.getProperty("varve.test.times"))
                    .map(folder -> Path.of(folder, ProcessHandle.current().pid() + ".tsv"));

    private final Map<String, Moment> running = new HashMap<>();

    /** A time, and the processor time of this process until then. */
    private record Moment(long nanos, Duration processor) {
        static Moment now() {
            return new Moment(
                    System.nanoTime(),
                    ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO));
        }
    }

    @Override
    public synchronized void executionStarted(TestIdentifier test) {
        if (file.isPresent() && className(test).isPresent()) {
            running.put(test.getUniqueId(), Moment.now());
        }
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Moment begin = running.remove(test.getUniqueId());
        if (begin != null) {
            Moment end = Moment.now();
            append(
                    className(test).orElseThrow()
                            + "\t"
                            + (end.nanos - begin.nanos) / 1_000_000
                            + "\t"
                            + end.processor.minus(begin.processor).toMillis()
                            + "\n");
        }
    }

    /** The name of a class that is in no other. */
    private static Optional<String> className(TestIdentifier test) {
        return test.getSource()
                .filter(ClassSource.class::isInstance)
                .map(source -> ((ClassSource) source).getClassName())
                .filter(name -> test.isContainer() && name.indexOf('$') < 0);
    }

    private void append(String line) {
        try {
            Files.createDirectories(file.orElseThrow().getParent());
            Files.writeString(
                    file.orElseThrow(), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
