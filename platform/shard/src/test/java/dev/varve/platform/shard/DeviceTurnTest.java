package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

class DeviceTurnTest {
    private final Object device = new Object();
    private final List<String> order = Collections.synchronizedList(new ArrayList<>());

    private Void add(String name) {
        order.add(name);
        return null;
    }

    /** Long work that takes its next turn at once must not pass the one that waits. */
    @Test
    void turnsAreTakenInTheOrderOfArrival() throws Exception {
        Thread other = new Thread(() -> DeviceTurn.take(device, () -> add("step")));

        DeviceTurn.take(
                device,
                () -> {
                    other.start();
                    Await.until("a step waits", () -> DeviceTurn.waiting(device) == 1);
                    return add("first part");
                });
        DeviceTurn.take(device, () -> add("second part"));
        other.join();

        assertEquals(List.of("first part", "step", "second part"), order);
    }

    @Test
    void devicesDoNotWaitForEachOther() {
        String result =
                DeviceTurn.take(device, () -> DeviceTurn.take(new Object(), () -> "computed"));

        assertEquals("computed", result);
    }
}
