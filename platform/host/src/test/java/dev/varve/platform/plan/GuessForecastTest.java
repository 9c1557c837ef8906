package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class GuessForecastTest {
    @Test
    void tellsFromWhereOnGuessesPay() {
        GuessForecast forecast = new GuessForecast(8, 10, 18, 2);

        assertEquals(2, forecast.breakEvenLength());
        assertEquals(1, forecast.speedup(2));
        assertEquals(3.2, forecast.speedup(6.4), 1e-9);
    }

    @Test
    void stepsTakeTime() {
        assertThrows(IllegalArgumentException.class, () -> new GuessForecast(8, 0, 18, 2));
        assertThrows(IllegalArgumentException.class, () -> new GuessForecast(1, 10, 18, 2));
    }
}
