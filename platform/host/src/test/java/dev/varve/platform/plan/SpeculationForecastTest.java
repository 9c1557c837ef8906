package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class SpeculationForecastTest {
    @Test
    void breakEvenAcceptanceIsReported() {
        SpeculationForecast forecast = new SpeculationForecast(8, 10, 18, 2);

        assertEquals(2, forecast.breakEvenLength());
        assertEquals(1, forecast.speedup(2));
        assertEquals(3.2, forecast.speedup(6.4), 1e-9);
    }

    @Test
    void stepTimeMustBePositive() {
        assertThrows(IllegalArgumentException.class, () -> new SpeculationForecast(8, 0, 18, 2));
        assertThrows(IllegalArgumentException.class, () -> new SpeculationForecast(1, 10, 18, 2));
    }
}
