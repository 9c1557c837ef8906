package dev.varve.testkit.simulation;

import java.util.ResourceBundle;

/** Makes events of warnings and errors, without what may differ between runs; prints nothing. */
record SimulatedLogger(String name) implements System.Logger {
    @Override
    public String getName() {
        return name;
    }

    @Override
    public boolean isLoggable(Level level) {
        return level.getSeverity() >= Level.WARNING.getSeverity();
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
        log(level, bundle, message + ": " + thrown.getClass().getSimpleName());
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... values) {
        if (isLoggable(level) && Simulation.isSimulated()) {
            Simulation.current().event("log: " + format);
        }
    }
}
