package dev.varve.platform.intake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

class ExceptionLoggingTaskTest {
    @Test
    void failedTaskEndsNothingElse() {
        List<String> done = new ArrayList<>();

        Stream.<Runnable>of(
                        () -> {
                            throw new IllegalStateException("made by the test");
                        },
                        () -> {
                            throw new OutOfMemoryError("made by the test");
                        },
                        () -> done.add("last"))
                .forEach(work -> new ExceptionLoggingTask(work).run());

        assertEquals(List.of("last"), done);
    }
}
