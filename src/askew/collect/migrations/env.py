"""How Alembic runs the revisions: in the transaction that ``upgrade`` opened."""

from alembic import context

if __name__ == "env_py":  # what Alembic calls it; imported by anybody else it does nothing
    context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
    context.run_migrations()
