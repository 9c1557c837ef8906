// An object that clients ask for. None of its parts is longer than a small model can be trusted with.
import { z } from 'zod';

export const Forecast = z.object({
  city: z.enum(['Bern', 'Paris', 'Rome']),
  sunny: z.boolean(),
  wind: z.object({
    strength: z.enum(['calm', 'fresh', 'storm']),
    warning: z.boolean().nullable(),
  }),
});
