"""How Alembic runs the revisions: in the transaction that ``upgrade`` opened."""

from alembic import context

if __name__ == "env_py":  # the name that Alembic gives it; under any other name it does nothing
    context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
    context.run_migrations()
