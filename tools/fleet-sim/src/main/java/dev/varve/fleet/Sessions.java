package dev.varve.fleet;

import java.util.Optional;

/** Sessions in the order of their arrival. For one thread at a time. */
public interface Sessions {
    /** A session, which generates its turns. For one thread at a time. */
    interface Session {
        /** Returns the next turn. */
        Turn next();

        /** Returns the time until the next turn in ns; empty after the last one. */
        Optional<Long> thinks();
    }

    /** Returns the arrival time of the next session in ns, not before the one before. */
    long nextArrival();

    /** Returns the session whose arrival was returned last. */
    Session nextSession();
}
